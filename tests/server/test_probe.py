"""A stream as a client sees it that shares no code with the library: conformance/sse_probe.py."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.agents import scripted
from tests.server.sockets import LONGEST_S, served
from tests.server.test_servers import asked, ended, started
from treadle.app.server import Server
from treadle.plan.tools import tool

PROBE = Path(__file__).resolve().parents[2] / "conformance" / "sse_probe.py"
SCRIPT = """think: Hm|m.
text: Line\\n|ends\\r\\n| and NaN\\n\\ndata: [DONE]|\\u2028|é
call: work cut=3 {"a": "Infinity"}
---
text: and |on |and |on.
usage: 10 5"""


def probed(*words: str) -> dict[str, Any]:
    """What it reports."""
    ran = subprocess.run(
        [sys.executable, str(PROBE), *words, "--timeout", str(LONGEST_S)],
        capture_output=True, text=True, timeout=2 * LONGEST_S, check=False,
    )  # fmt: skip
    assert ran.stderr == ""
    report: dict[str, Any] = json.loads(ran.stdout)
    assert ran.returncode == (0 if report["ok"] else 1)
    return report


@pytest.mark.slow
@pytest.mark.requirement("SERVE-probe")
def test_a_foreign_parser_finds_no_violation_and_dense_ids_also_over_a_dropped_connection() -> None:
    """Issue: sse_probe --for any and --reconnect-after 5: no violation; ids dense within and over the reconnect."""
    may_end = threading.Event()

    @tool
    def work(a: str) -> str:
        """Wait until the client has gone."""
        may_end.wait(LONGEST_S)
        return a

    with served(Server([scripted(SCRIPT, tools=[work])])) as url:
        run_id = started(url, "a")
        events = f"{url}/v1/runs/{run_id}/events"
        told: list[dict[str, Any]] = []
        probing = threading.Thread(target=lambda: told.append(probed(events, "--for", "any", "--reconnect-after", "5")))
        probing.start()
        while not ended(url, "left"):
            assert probing.is_alive(), told
        may_end.set()
        probing.join(LONGEST_S)
        (dropped,) = told
        assert (dropped["verdict"], dropped["violations"]) == ("done", [])
        assert dropped["reconnect"]["before"] >= 5
        assert dropped["reconnect"]["after"] > 0
        total = int(json.loads(asked(url, "GET", f"/v1/runs/{run_id}")[1])["events"])
        assert [event["id"] for event in dropped["events"]] == [f"1:{index}" for index in range(total)]
        for whom in ("any", "ag-ui", "a2a", "mcp"):
            whole = probed(events, "--for", whom)
            assert (whole["verdict"], whole["violations"], whole["warnings"]) == ("done", [], [])
            assert whole["stream"]["line_endings"] == ["\\n"]
            assert [event["id"] for event in whole["events"]] == [f"1:{index}" for index in range(total)]
        posted = probed(f"{url}/v1/runs", "--json", '{"agent": "a", "prompt": "hi"}')
        assert (posted["verdict"], posted["violations"]) == ("done", [])


@pytest.mark.slow
def test_the_probe_finds_what_is_wrong() -> None:
    """Ours: a judge who finds nothing in anything judges nothing."""
    bodies = {
        "gap": b'id: 1:0\ndata: {"a":1}\n\nid: 1:2\ndata: {"a":1}\n\n',
        "not-json": b"id: 1:0\ndata: {\n\n",
        "unterminated": b"id: 1:0\ndata: {}\n",
        "line-ending": b"id: 1:0\r\ndata: {}\r\n\r\n",
        "unknown-field": b"id: 1:0\ndata: {}\n{}\n\n",
        "nan": b'id: 1:0\ndata: {"a":NaN}\n\n',
    }

    async def app(scope: dict[str, Any], _receive: object, send: Any) -> None:  # noqa: ANN401 (an ASGI callable)
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": bodies[scope["path"].removeprefix("/")]})

    class Odd(Server):
        @property
        def asgi(self) -> Any:  # noqa: ANN401 (another application on the same socket)
            return app

    with served(Odd([scripted("text: ok")])) as url:
        found = {name: probed(f"{url}/{name}")["violations"] for name in bodies}
    assert {name for name, violations in found.items() if name in {one["rule"] for one in violations}} == set(bodies)
