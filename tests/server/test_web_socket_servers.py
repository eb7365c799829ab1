"""A socket on three servers: what differs between them is theirs, what a client hears is not."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.runtime.agents import scripted
from tests.server.sockets import served
from tests.server.test_servers import LONGEST_S, SERVERS, _until, asked, ended, serving, started
from treadle.app.server import Server
from treadle.server.web_socket import PATH
from treadle.server.web_socket_messages import MAX_MESSAGE_BYTES


def opened(url: str, **more: Any) -> ClientConnection:  # noqa: ANN401 (as of `connect`)
    """A socket of the server at this address."""
    return connect(f"{url.replace('http', 'ws', 1)}{PATH}", max_size=None, open_timeout=LONGEST_S, **more)


def heard(client: ClientConnection) -> dict[str, Any]:
    """The next message."""
    told: dict[str, Any] = json.loads(client.recv(LONGEST_S))
    return told


def say(client: ClientConnection, **terms: str) -> None:
    """Send a message."""
    client.send(json.dumps(terms))


def closing_of(client: ClientConnection) -> tuple[int, str | None]:
    """How the server closes a socket: the code, and the reason where it is ours."""
    with pytest.raises(ConnectionClosed) as closed:
        client.recv(LONGEST_S)
    said = closed.value.rcvd
    assert said is not None
    return said.code, said.reason if said.code == 1001 else None


def frozen(url: str, run_id: str) -> socket.socket:
    """A connection that has asked for a run on a socket, and reads nothing. What it writes is masked with zeros."""
    split = urlsplit(url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(LONGEST_S)
    connection.connect((split.hostname or "", split.port or 0))
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"GET {PATH} HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    connection.sendall(f"{head}sec-websocket-key: {key}\r\nsec-websocket-version: 13\r\n\r\n".encode())
    came = b""
    while b"\r\n\r\n" not in came:
        came += connection.recv(1)
    assert b" 101 " in came
    said = json.dumps({"type": "read", "run_id": run_id}).encode()
    connection.sendall(bytes((0x81, 0x80 | len(said))) + bytes(4) + said)
    return connection


@pytest.mark.slow
@pytest.mark.requirement("SOCKET-servers", "SOCKET-frozen")
@pytest.mark.parametrize("name", SERVERS)
def test_runs_are_read_left_and_lost_and_a_frozen_client_is_ended(name: str, tmp_path: Path) -> None:
    """Ours: one socket on uvicorn, hypercorn and granian."""
    with serving(name, tmp_path) as url:
        first, second = started(url, "waits"), started(url, "waits")
        with opened(url) as client:
            say(client, type="read", run_id=first)
            say(client, type="read", run_id=second)
            came: list[dict[str, Any]] = []
            while [one.get("type") for one in came].count("alive") < 2:  # silence is broken while the tools hang
                came.append(heard(client))
            for run_id in (first, second):
                events = [one for one in came if "kind" in one and one["run_id"] == run_id]
                assert [one["index"] for one in events] == [*range(len(events))]
                assert "tool_call" in {one["kind"] for one in events}
            say(client, type="leave", run_id=first)
            while (last := heard(client)).get("type") != "over":
                pass
            assert last == {"type": "over", "run_id": first, "reason": "left"}
        _until(lambda: b'ending="left"} 2.0' in asked(url, "GET", "/metrics")[1])
        with pytest.raises(InvalidStatus) as refused:
            opened(url, additional_headers={"origin": "https://evil.example"}).close()
        assert refused.value.response.status_code == 403
        large = started(url, "large")
        with frozen(url, large):
            _until(lambda: ended(url, "frozen"))


@pytest.mark.slow
@pytest.mark.requirement("SOCKET-servers", "SOCKET-bounds")
def test_our_own_serving_refuses_in_words_bounds_messages_and_says_that_it_stops() -> None:
    """Ours: what `treadle serve` sets of uvicorn. A client that is refused before the acceptance gets the body too."""
    server = Server([scripted("text: It is 3.")])
    with contextlib.ExitStack() as stack:
        with served(server) as url:
            with pytest.raises(InvalidStatus) as refused:
                opened(url, additional_headers={"origin": "https://evil.example"}).close()
            assert json.loads(refused.value.response.body or b"")["code"] == "origin_refused"
            with opened(url) as large:
                large.send("x" * (MAX_MESSAGE_BYTES + 1))
                assert closing_of(large) == (1009, None)
            client = stack.enter_context(opened(url))
            say(client, type="read", run_id="r_of_nobody")
            assert heard(client)["code"] == "run_not_found"
        assert closing_of(client) == (1001, "stopping")
