"""The example with `useChat` in a real browser: it is left, loaded again, answered after a restart, and stopped."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.examples.building import built, can_build
from tests.examples.serving import WAIT_S, Pace, loaded, served
from tests.examples.test_browser import CHROMIUM, browsing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.requirement("VERCEL-use-chat"),
    pytest.mark.skipif(CHROMIUM is None, reason="platform: there is no Chromium here (Debian: apt install chromium)"),
    pytest.mark.skipif(
        not can_build("use_chat"),
        reason="platform: run `npm install` in examples/use_chat, or name a folder where it was by TREADLE_USE_CHAT",
    ),
]


@pytest.fixture(scope="module")
def page_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, built."""
    return built("use_chat", tmp_path_factory.mktemp("use_chat"))


async def send(page: Page, text: str) -> None:
    """Say something."""
    await page.fill("input", text)
    await page.click("text=Send")


async def test_a_page_that_is_loaded_again_in_mid_answer_shows_the_whole_answer_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page_folder: Path
) -> None:
    """Design promise 6: leaving is not stopping. The page has the question too, from the metadata of the answer."""
    example, pace = loaded("use_chat/chat_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    app = example.application(f"sqlite:///{tmp_path / 'chats.db'}", page_folder)
    async with asyncio.timeout(WAIT_S), served(app) as port, browsing() as page:
        await page.goto(f"http://127.0.0.1:{port}")
        await send(page, "May I leave?")
        pace.let(5)
        answer = page.locator("article.assistant p:not(.question)")
        await expect(answer).to_have_text("".join(example.WORDS[:5]).strip())
        await page.reload()
        await expect(answer).to_have_text("".join(example.WORDS[:5]).strip())
        pace.let(1_000)
        await expect(page.locator("output")).to_have_text("ready")
        assert await answer.text_content() == "".join(example.WORDS)
        assert await page.locator(".question").text_content() == "May I leave?"


async def test_an_approval_is_given_after_the_server_was_started_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page_folder: Path
) -> None:
    """Design: a person may answer later, on another machine; the page asks what it asked before."""
    store = f"sqlite:///{tmp_path / 'chats.db'}"
    async with asyncio.timeout(WAIT_S), browsing() as page:
        for is_first in (True, False):
            example = loaded("use_chat/chat_app")
            monkeypatch.setattr(example, "pause", _at_once)
            async with served(example.application(store, page_folder)) as port:
                chat = page.url.partition("#")[2] if not is_first else "chat-1"
                await page.goto(f"http://127.0.0.1:{port}/#{chat}")
                if is_first:
                    await send(page, "publish hello")
                await expect(page.locator("fieldset em")).to_have_text("approval-requested")
                assert await page.locator("fieldset code").text_content() == '{"text":"hello"}'
                if not is_first:
                    await page.click("text=Approve")
                    await expect(page.locator("article.assistant p:not(.question)")).to_have_text(
                        "'hello' is published."
                    )
                    await expect(page.locator("fieldset em")).to_have_text("output-available")


async def test_stop_ends_the_answer_and_keeps_what_was_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page_folder: Path
) -> None:
    """Design promise 6: Stop does, within a second. The model hangs, so nothing else can end the answer."""
    example, pace = loaded("use_chat/chat_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    app = example.application(f"sqlite:///{tmp_path / 'chats.db'}", page_folder)
    async with asyncio.timeout(WAIT_S), served(app) as port, browsing() as page:
        await page.goto(f"http://127.0.0.1:{port}")
        await send(page, "hi")
        pace.let(2)
        answer = page.locator("article.assistant p:not(.question)")
        await expect(answer).to_have_text("".join(example.WORDS[:2]).strip())
        await page.click("text=Stop")
        await expect(page.locator("output")).to_have_text("ready")
        assert await answer.text_content() == "".join(example.WORDS[:2])


async def _at_once() -> None:
    """No time between two words."""
