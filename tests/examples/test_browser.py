"""The example page in a real browser: it asks, loses its connection, comes back, and stops what it asked."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page, async_playwright, expect

from tests.examples.serving import WAIT_S, Pace, Way, loaded, served

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    # Whoever is root has no sandbox to stand in; nothing but this machine is ever asked for.
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PROMPT = "May I leave?"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="platform: there is no Chromium here (Debian: apt install chromium)"),
]


@asynccontextmanager
async def browsing() -> AsyncGenerator[Page, None]:
    """A page in a browser without a window, for the block. What a page logs as an error fails the test."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        page = await browser.new_page()
        failures: list[str] = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        yield page
        await browser.close()
        assert failures == []


async def test_a_page_that_loses_its_connection_shows_every_character_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue: send, drop the connection, resume by the cursor: every character once."""
    example, pace = loaded("fastapi_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    words = example.WORDS
    async with (
        asyncio.timeout(WAIT_S),
        served(example.app) as port,
        Way(port).opened() as (way, address),
        browsing() as page,
    ):
        answer, state = page.locator("p").first, page.locator("p").last
        await page.goto(address)
        await page.fill("input", PROMPT)
        await page.click("text=Send")
        pace.let(6)
        await expect(answer).to_have_text(f"You asked: {PROMPT}\n\n{''.join(words[:5])}")
        way.cut_at(f'"text":"{words[6]}"')
        pace.let(3)
        await expect(state).to_have_text("reconnecting")
        pace.let(1_000)
        await expect(state).to_have_text("done")
        assert await answer.text_content() == f"You asked: {PROMPT}\n\n{''.join(words)}"
    reads = [(line, cursor) for line, cursor in way.asked if "/events " in line]
    assert (way.cuts, [cursor is None for _, cursor in reads]) == (1, [True, False])


async def test_a_page_that_is_opened_again_shows_the_answer_that_went_on_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue: leave, come back: leaving does not stop the run, and the same address shows it again."""
    example, pace = loaded("fastapi_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    whole = f"You asked: {PROMPT}\n\n{''.join(example.WORDS)}"
    async with asyncio.timeout(WAIT_S), served(example.app) as port, browsing() as page:
        await page.goto(f"http://127.0.0.1:{port}")
        await page.fill("input", PROMPT)
        await page.click("text=Send")
        pace.let(4)
        await expect(page.locator("p").first).to_contain_text(example.WORDS[2].strip())
        address = page.url
        await page.goto("about:blank")
        pace.let(1_000)
        await page.goto(address)
        await expect(page.locator("p").last).to_have_text("done")
        assert await page.locator("p").first.text_content() == whole


async def test_stop_ends_the_run_and_keeps_what_was_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue: Stop. The model hangs in the middle of its answer, so nothing else can end the run."""
    example, pace = loaded("fastapi_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    async with asyncio.timeout(WAIT_S), served(example.app) as port, browsing() as page:
        answer = page.locator("p").first
        await page.goto(f"http://127.0.0.1:{port}")
        await page.fill("input", PROMPT)
        await page.click("text=Send")
        pace.let(3)
        shown = f"You asked: {PROMPT}\n\n{''.join(example.WORDS[:2])}"
        await expect(answer).to_have_text(shown)
        await page.click("text=Stop")
        await expect(page.locator("p").last).to_have_text("cancelled")
        assert await answer.text_content() == shown
