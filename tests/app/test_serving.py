"""A server on a socket of its own."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
from urllib.parse import urlsplit

import pytest

from tests.runtime.agents import scripted
from tests.server.sockets import served
from treadle.app.server import Server
from treadle.app.serving import listening, serve, url_of
from treadle.errors import UnguardedError


def request(url: str, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    """One request over a socket."""
    split = urlsplit(url)
    connection = http.client.HTTPConnection(split.hostname or "", split.port, timeout=20)
    try:
        told = None if body is None else json.dumps(body)
        connection.request(method, path, told, {"accept": "text/event-stream", "content-type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_a_port_that_is_taken_and_a_host_that_is_none_are_errors_of_the_system() -> None:
    """Ours: whoever asked for it is told, in words that the command makes."""
    with listening("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            listening("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(socket.gaierror):
        listening("no host.invalid", 0)


@pytest.mark.parametrize(("host", "url"), [("127.0.0.1", "http://127.0.0.1:"), ("::1", "http://[::1]:")])
def test_the_address_is_what_a_client_on_this_machine_says(host: str, url: str) -> None:
    """Ours: it is printed to be copied."""
    try:
        listener = listening(host, 0)
    except OSError:
        assert host == "::1", "only IPv6 may be missing on a machine"
        return
    with listener:
        assert url_of(listener) == f"{url}{listener.getsockname()[1]}"


def test_everywhere_is_said_as_here() -> None:
    """Ours: nobody can connect to 0.0.0.0 everywhere."""
    with listening("0.0.0.0", 0) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


async def test_a_server_that_asks_nobody_is_not_served_to_others() -> None:
    """Issue: no auth and not loopback = refuse to start, saying why."""
    with listening("0.0.0.0", 0) as listener, pytest.raises(UnguardedError, match="access"):
        await serve(
            Server([scripted("text: ok")]),
            listener,
            told=lambda _: None,
            asked=asyncio.Event().wait,  # type: ignore[arg-type]  # never asked
        )


@pytest.mark.slow
def test_it_answers_over_a_socket_until_it_is_asked_to_end() -> None:
    """Issue: uvicorn."""
    with served(Server([scripted("text: It is 3.")])) as url:
        status, body = request(url, "POST", "/v1/runs", {"agent": "a", "prompt": "hi"})
        assert (status, body.startswith(b": treadle\n\n"), b"event: done" in body) == (200, True, True)
        assert request(url, "GET", "/healthz")[0] == 200
    split = urlsplit(url)
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((split.hostname or "", split.port or 0), timeout=5)
