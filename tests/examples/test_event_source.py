"""A browser's own EventSource, which sends no headers: tickets in its address, in a real browser."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from tests.examples.serving import WAIT_S, Pace, Way, served
from tests.examples.test_browser import CHROMIUM, browsing, loaded
from treadle import Agent, Server
from treadle.server.access import ApiKeys, Principal

KEY = "a-key-that-the-page-holds"
PAGE = """<!doctype html><script>
const KEY = {headers: {"x-api-key": "a-key-that-the-page-holds", "content-type": "application/json"}, method: "POST"}
const seen = {ids: [], text: "", states: [], over: false}
let address, last = ""
async function begin() {
  const body = JSON.stringify({agent: "guide", prompt: "hi"})
  address = "/agents/v1/runs/" + (await (await fetch("/agents/v1/runs", {...KEY, body})).json()).run_id
  await open()
}
async function open() {
  const {ticket} = await (await fetch(address + "/ticket", KEY)).json()
  const source = new EventSource(`${address}/events?ticket=${ticket}` + (last && `&after=${last}`))
  source.addEventListener("text_delta", event => {
    seen.text += JSON.parse(event.data).text
    seen.ids.push(last = event.lastEventId)
  })
  source.addEventListener("done", () => { seen.over = true; source.close() })
  source.onerror = () => { seen.states.push(source.readyState); if (source.readyState === EventSource.CLOSED) open() }
}
</script>"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="platform: there is no Chromium here (Debian: apt install chromium)"),
]


@pytest.mark.requirement("ACCESS-ticket")
async def test_a_ticket_is_spent_when_the_browser_comes_back_by_itself_and_another_one_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue: a single-use ticket for native EventSource. Source: HTML standard: it comes back with the same address."""
    example, pace = loaded("fastapi_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    server = Server(
        [Agent(name="guide", model=example.Guide())], access=ApiKeys({KEY: Principal(name="page", scope="s")})
    )
    app = FastAPI(lifespan=server.lifespan)
    app.mount("/agents", server.asgi)
    app.add_api_route("/", lambda: HTMLResponse(PAGE))
    words = example.WORDS
    async with (
        asyncio.timeout(WAIT_S),
        served(app) as port,
        Way(port).opened() as (way, address),
        browsing() as page,
    ):
        await page.goto(address)
        await page.evaluate("begin()")
        pace.let(6)
        await page.wait_for_function("seen.ids.length === 6")
        way.cut_at(f'"text":"{words[6]}"')
        pace.let(1_000)
        await page.wait_for_function("seen.over")
        seen = await page.evaluate("seen")
    assert seen["text"] == f"You asked: hi\n\n{''.join(words)}"
    assert len(seen["ids"]) == len(set(seen["ids"])) == len(words) + 1
    # It came back by itself (CONNECTING), was refused for good (CLOSED), and the page asked for another ticket.
    assert seen["states"] == [0, 2]
    reads = [line.split()[1] for line, _ in way.asked if "/events?" in line]
    assert len(reads) == 3
    assert reads[0] == reads[1]
    assert reads[0].partition("&")[0] != reads[2].partition("&")[0]
