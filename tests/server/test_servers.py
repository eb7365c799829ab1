"""The same application on three servers: what differs between them is theirs, what a client sees is not."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cli.command import environment
from treadle.framing.sse import SseParser

LONGEST_S = 30.0
QUESTIONS = 10_000
PROGRAM = """
from treadle import Agent, Server, tool
from treadle.server.pulse import Rhythm
import asyncio

@tool
async def hang() -> str:
    \"\"\"Never come back.\"\"\"
    await asyncio.Event().wait()
    return ""

@tool
async def large(number: int) -> str:
    \"\"\"Say much.\"\"\"
    return str(number) * 3_000_000

agents = [
    Agent(name="waits", model="scripted:waits.script", tools=[hang]),
    Agent(name="large", model="scripted:large.script", tools=[large]),
]
server = Server(agents, rhythm=Rhythm(heartbeat_s=0.5, frozen_s=1.0, drain_s=0))
app = server.asgi
"""
SERVERS: dict[str, tuple[Callable[[int], list[str]], str]] = {
    "uvicorn": (lambda port: ["uvicorn", "program:app", "--port", str(port)], "Uvicorn running on"),
    "hypercorn": (lambda port: ["hypercorn", "program:app", "--bind", f"127.0.0.1:{port}"], "Running on"),
    "granian": (lambda port: ["granian", "--interface", "asgi", "program:app", "--port", str(port)], "Started worker"),
}
"""How each is started, and what it says when it listens."""


@contextmanager
def serving(name: str, folder: Path) -> Generator[str, None, None]:
    """The program on a server of this name; its address."""
    (folder / "program.py").write_text(PROGRAM)
    (folder / "waits.script").write_text("text: It |is\ncall: hang {}\n")
    calls = "\n---\n".join(f'call: large {{"number": {number}}}' for number in range(9))
    (folder / "large.script").write_text(f"{calls}\n---\ntext: end\n")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words, listens = SERVERS[name]
    program, *arguments = words(port)
    command = [str(Path(sys.executable).parent / program), *arguments]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    said = iter(process.stdout)
    try:
        assert any(listens in line for line in said), "it did not start"
        reading = threading.Thread(target=lambda: [*said])
        reading.start()
        url = f"http://127.0.0.1:{port}"
        _until(lambda: _answers(url))
        yield url
    finally:
        process.terminate()
        try:
            process.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _answers(url: str) -> bool:
    try:
        return asked(url, "GET", "/healthz")[0] == 200
    except OSError:
        return False


def _until(holds: Callable[[], bool]) -> None:
    """Ask another process until something holds of it. Nothing tells us of it, so it is asked, and not for ever."""
    assert any(holds() for _ in range(QUESTIONS)), "it never came to hold"


def asked(url: str, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, bytes]:
    """One request."""
    split = urlsplit(url)
    connection = http.client.HTTPConnection(split.hostname or "", split.port, timeout=LONGEST_S)
    try:
        connection.request(
            method, path, None if body is None else json.dumps(body), {"content-type": "application/json"}
        )
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def started(url: str, agent: str, **more: str) -> str:
    """Start a run; its id."""
    status, body = asked(url, "POST", "/v1/runs", {"agent": agent, "prompt": "hi", **more})
    assert status == 201, body
    run_id: str = json.loads(body)["run_id"]
    return run_id


def opened(url: str, run_id: str) -> socket.socket:
    """A connection that has asked for the events of a run."""
    split = urlsplit(url)
    connection = socket.create_connection((split.hostname or "", split.port or 0), timeout=LONGEST_S)
    request = f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nhost: localhost\r\n\r\n"
    connection.sendall(request.encode())
    return connection


def ended(url: str, ending: str) -> bool:
    """Whether a stream has ended in this way."""
    return f'treadle_streams_ended_total{{ending="{ending}"}} 1.0' in asked(url, "GET", "/metrics")[1].decode()


@pytest.mark.slow
@pytest.mark.requirement("SERVE-leaving", "SERVE-frozen")
@pytest.mark.parametrize("name", SERVERS)
def test_streams_are_whole_leavings_are_noticed_and_frozen_clients_are_ended(name: str, tmp_path: Path) -> None:
    """Issue: granian and hypercorn tested; disconnect on three servers; BR-015."""
    with serving(name, tmp_path) as url:
        run_id = started(url, "waits", on_disconnect="cancel")
        with opened(url, run_id) as connection:
            came = b""
            while came.count(b": ping") < 2:  # silence is broken while the tool hangs
                came += connection.recv(65536)
            assert b"event: tool_call" in came
        _until(lambda: ended(url, "left"))
        _until(lambda: json.loads(asked(url, "GET", f"/v1/runs/{run_id}")[1])["state"] == "cancelled")

        run_id = started(url, "large")
        status, body = asked(url, "GET", f"/v1/runs/{run_id}/events")
        events = SseParser(max_event_bytes=len(body)).feed(body)
        assert (status, events[-1].event) == (200, "done")
        assert [event.event_id for event in events] == [f"1:{index}" for index in range(len(events))]

        with opened(url, run_id) as connection:
            _until(lambda: ended(url, "frozen"))
            came = b""
            while piece := connection.recv(1 << 20):
                came += piece
        assert not came.endswith(b"0\r\n\r\n")
        # The one that was cut in two is not counted.
        count = came.count(b"\nevent: ") - 1
        split = urlsplit(url)
        again = http.client.HTTPConnection(split.hostname or "", split.port, timeout=LONGEST_S)
        again.request("GET", f"/v1/runs/{run_id}/events", headers={"last-event-id": events[count - 1].event_id})
        rest = again.getresponse().read()
        again.close()
        assert SseParser(max_event_bytes=len(body)).feed(rest) == events[count:]
