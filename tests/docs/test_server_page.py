"""The stream that the page of the server shows is one that a server sends."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.pages import programs
from tests.runtime.stores import virtually
from tests.server.calls import JSON, SSE, ask
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.app.server import Server

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
LEFT_OUT = "…"


@virtually
async def test_the_stream_on_the_page_is_what_its_agent_sends() -> None:
    """Ours: an example is what happens, but for what it says it leaves out."""
    script = programs(PAGE)[0].files["server.script"]
    agent = Agent(name="calc", model=ScriptedModel.from_text(script.rstrip("\n")))
    (shown,) = re.findall(r"^```text\n(: treadle\n.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    async with Server([agent]) as server:
        call = await ask(server.asgi, "POST", "/v1/runs", JSON, SSE, body={"agent": "calc", "prompt": "1+2?"})
    wanted = "[^\n]*".join(map(re.escape, shown.split(LEFT_OUT)))
    assert re.match(wanted, call.body.decode()), call.body.decode()
