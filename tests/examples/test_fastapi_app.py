"""The example of an agent in somebody's own FastAPI application."""

from __future__ import annotations

import asyncio
import json
import re
from urllib.request import Request, urlopen

import pytest

from tests.examples.serving import EXAMPLES, WAIT_S, Pace, loaded, served
from treadle.framing.sse import SseParser


@pytest.mark.slow
async def test_the_agent_answers_beside_the_routes_of_the_application(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue: mounted in a user's FastAPI application in three lines, and it runs offline."""
    example, pace = loaded("fastapi_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    pace.let(1_000)
    async with asyncio.timeout(WAIT_S), served(example.app) as port:
        base = f"http://127.0.0.1:{port}"
        page = await asyncio.to_thread(_read, Request(f"{base}/"))
        assert page == (EXAMPLES / "browser.html").read_bytes()
        body = json.dumps({"agent": "guide", "prompt": "Hi?"}).encode()
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        answer = await asyncio.to_thread(_read, Request(f"{base}/agents/v1/runs", data=body, headers=headers))
        events = [json.loads(event.data) for event in SseParser().feed(answer)]
    text = "".join(event["text"] for event in events if event["kind"] == "text_delta")
    assert text == "You asked: Hi?\n\n" + "".join(example.WORDS)
    assert (events[0]["kind"], events[-1]["kind"]) == ("run_started", "done")


def test_three_lines_are_all_that_it_takes() -> None:
    """Issue: in three lines. They are marked, so that a reader can count them."""
    lines = (EXAMPLES / "fastapi_app.py").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition("  # ")[2] for line in lines if re.search(r"  # \d$", line)] == ["1", "2", "3"]


def _read(request: Request) -> bytes:
    with urlopen(request, timeout=WAIT_S) as answer:
        body: bytes = answer.read()
        return body
