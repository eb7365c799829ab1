"""The example on the official AG-UI client in a real browser: left, loaded again, answered after a restart, stopped."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.examples.building import built, can_build
from tests.examples.serving import WAIT_S, Pace, loaded, served
from tests.examples.test_browser import CHROMIUM, browsing

ANSWER = "article.assistant p"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.requirement("AGUI-page"),
    pytest.mark.skipif(CHROMIUM is None, reason="platform: there is no Chromium here (Debian: apt install chromium)"),
    pytest.mark.skipif(
        not can_build("agui_page"),
        reason="platform: run `npm install` in examples/agui_page, or name a folder where it was by TREADLE_AGUI_PAGE",
    ),
]


@pytest.fixture(scope="module")
def page_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, built."""
    return built("agui_page", tmp_path_factory.mktemp("agui_page"))


async def send(page: Page, text: str) -> None:
    """Say something."""
    await page.fill("input", text)
    await page.click("text=Send")


async def test_a_page_that_is_loaded_again_in_mid_answer_shows_the_whole_answer_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page_folder: Path
) -> None:
    """Design promise 6: leaving is not stopping. The page has the question and the thinking too, from the snapshot."""
    example, pace = loaded("agui_page/page_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    app = example.application(f"sqlite:///{tmp_path / 'threads.db'}", page_folder)
    async with asyncio.timeout(WAIT_S), served(app) as port, browsing() as page:
        await page.goto(f"http://127.0.0.1:{port}")
        await send(page, "May I leave?")
        pace.let(5)
        await expect(page.locator(ANSWER)).to_have_text("".join(example.WORDS[:5]).strip())
        await page.reload()
        await expect(page.locator(ANSWER)).to_have_text("".join(example.WORDS[:5]).strip())
        await expect(page.locator("output")).to_have_text("running")
        pace.let(1_000)
        await expect(page.locator("output")).to_have_text("ready")
        assert await page.locator(ANSWER).all_text_contents() == ["".join(example.WORDS)]
        assert await page.locator("article.user p").all_text_contents() == ["May I leave?"]
        assert await page.locator("article.reasoning p").all_text_contents() == [example.THOUGHT]
        # The thread goes on from what the page was told.
        await send(page, "And again?")
        await expect(page.locator("output")).to_have_text("ready")
        assert await page.locator(ANSWER).all_text_contents() == ["".join(example.WORDS)] * 2


@pytest.mark.parametrize(
    ("decision", "outcome"), [("Approve", "'hello' is published."), ("Deny", "denied by a person.")]
)
async def test_leave_is_given_or_not_after_the_server_was_started_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page_folder: Path, decision: str, outcome: str
) -> None:
    """Design: a person may answer later, on another machine; the page asks what it asked before."""
    store = f"sqlite:///{tmp_path / 'threads.db'}"
    async with asyncio.timeout(WAIT_S), browsing() as page:
        for is_first in (True, False):
            example = loaded("agui_page/page_app")
            monkeypatch.setattr(example, "pause", _at_once)
            async with served(example.application(store, page_folder)) as port:
                thread = "#thread-1" if is_first else f"#{page.url.partition('#')[2]}"
                await page.goto(f"http://127.0.0.1:{port}/{thread}")
                await expect(page.locator("output")).to_have_text("ready")
                if is_first:
                    await send(page, "publish hello")
                await expect(page.locator("fieldset em")).to_have_text("asks")
                assert await page.locator("fieldset code").text_content() == '{"text": "hello"}'
                if not is_first:
                    await page.click(f"text={decision}")
                    await expect(page.locator(ANSWER)).to_have_text(outcome)
                    await expect(page.locator("fieldset em")).to_have_text("answered")


async def test_stop_ends_the_answer_and_keeps_what_was_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page_folder: Path
) -> None:
    """Design promise 6: Stop does, within a second. The model hangs, so nothing else can end the answer."""
    example, pace = loaded("agui_page/page_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    app = example.application(f"sqlite:///{tmp_path / 'threads.db'}", page_folder)
    async with asyncio.timeout(WAIT_S), served(app) as port, browsing() as page:
        await page.goto(f"http://127.0.0.1:{port}")
        await send(page, "hi")
        pace.let(2)
        await expect(page.locator(ANSWER)).to_have_text("".join(example.WORDS[:2]).strip())
        await page.click("text=Stop")
        await expect(page.locator("output")).to_have_text("ready")
        assert await page.locator(ANSWER).text_content() == "".join(example.WORDS[:2])


async def _at_once() -> None:
    """No time between two words."""
