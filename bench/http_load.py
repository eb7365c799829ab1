"""A server process of one side, and a load on it: one epoll loop that only counts, over loopback."""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from http_asking import USED, Asked, reading
from workload import deltas

HERE: Final = Path(__file__).resolve().parent
DELTA: Final = b"event: text_delta\n"
TEXT: Final = re.compile(rb'"text":("(?:[^"\\]|\\.)*")}\n')
START_S: Final = 60.0
STREAMS_S: Final = 300.0
READ: Final = 262_144
AT_ONCE: Final = 50
"""Streams that are opened together: no listen queue overflows."""

COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "uvicorn": (
        "uvicorn", "http_apps:app", "--host", "127.0.0.1", "--loop", "uvloop", "--http", "httptools",
        "--log-level", "error", "--no-access-log", "--backlog", "4096",
    ),
    "uvicorn-asyncio": (
        "uvicorn", "http_apps:app", "--host", "127.0.0.1", "--loop", "asyncio", "--http", "h11",
        "--log-level", "error", "--no-access-log", "--backlog", "4096",
    ),
    "granian": (
        "granian", "http_apps:app", "--interface", "asgi", "--host", "127.0.0.1", "--workers", "1", "--loop", "uvloop",
        "--no-ws", "--http", "1", "--log-level", "error", "--backlog", "4096", "--backpressure", "4096",
    ),
}  # fmt: skip


class LoadError(Exception):
    """A server did not start, or a stream was not what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a server's process has used."""

    cpu_s: float
    rss_bytes: int


class Served:
    """One side behind one server, in a process of its own, for the time of its block."""

    def __init__(self, side: str, server: str) -> None:
        self._side = side
        self._server = server
        self.port = _free_port()

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="treadle-bench-")
        given = {"BENCH_HTTP_SIDE": self._side, "BENCH_HTTP_DATABASE": str(Path(self._folder.name) / "runs.db")}
        command = [sys.executable, "-W", "ignore", "-m", *COMMANDS[self._server], "--port", str(self.port)]
        self._process = subprocess.Popen(
            command,
            cwd=HERE,
            env={**os.environ, **given},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # The group was made for this process: granian's worker is a child of its own.
        for wanted in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, wanted)
                self._process.wait(5)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        self._folder.cleanup()

    def used(self) -> Used:
        """What its process has used by now."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            connection.sendall(f"GET {USED} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            told = b""
            while piece := connection.recv(READ):
                told += piece
        return Used(**json.loads(told.partition(b"\r\n\r\n")[2]))

    def _wait(self) -> None:
        until_s = time.monotonic() + START_S
        while True:
            try:
                self.used()
            except (OSError, ValueError):
                if self._process.poll() is not None:
                    said = self._process.stderr.read().decode() if self._process.stderr else ""
                    raise LoadError(f"{self._server} did not start: {said[-2000:]}") from None
                if time.monotonic() > until_s:
                    raise LoadError(f"{self._server} did not start in {START_S:g} s") from None
                time.sleep(0.05)
            else:
                return


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """What came of some streams that were read to their ends."""

    wall_s: float
    sends: int
    """How often there was something to read: about the number of writes."""


def read_all(served: Served, asked: Asked, streams: int) -> Streams:
    """Open streams at once and read each to its end.

    Raises:
        LoadError: Another text came than was asked for.
    """
    selector = selectors.DefaultSelector()
    heard: dict[socket.socket, list[bytes]] = {}
    began_s = time.perf_counter()
    for _ in range(streams):
        connection = _asking(served, asked)
        connection.setblocking(False)  # noqa: FBT003 (the name says it)
        selector.register(connection, selectors.EVENT_READ)
        heard[connection] = []
    sends, still_open = 0, streams
    while still_open:
        if time.perf_counter() - began_s > STREAMS_S:
            raise LoadError(f"{still_open} of {streams} streams are open after {STREAMS_S:g} s")
        # Never asleep: a send to a sleeping reader on the same machine pays for waking it, which no remote one costs.
        for key, _ in selector.select(0):
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            piece = connection.recv(READ)
            if piece:
                heard[connection].append(piece)
                sends += 1
                continue
            selector.unregister(connection)
            connection.close()
            still_open -= 1
    wall_s = time.perf_counter() - began_s
    selector.close()
    for pieces in heard.values():
        _check(b"".join(pieces), asked)
    return Streams(wall_s=wall_s, sends=sends)


def first_delta_s(served: Served, asked: Asked) -> float:
    """Seconds from a request, on an open connection, to the first delta of its stream."""
    with _connection(served) as connection:
        began_s = time.perf_counter()
        connection.sendall(asked.request)
        _until_delta(connection)
        took_s = time.perf_counter() - began_s
        while connection.recv(READ):
            pass
    return took_s


class Held:
    """Streams that are open and have had their first delta, for the time of its block."""

    def __init__(self, served: Served, request: bytes) -> None:
        self._served = served
        self._request = request
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self._open:
            connection.close()

    def open(self, streams: int) -> bytes:
        """Open so many more; what the last one heard."""
        heard, wanted = b"", len(self._open) + streams
        while len(self._open) < wanted:
            several = [_connection(self._served) for _ in range(min(AT_ONCE, wanted - len(self._open)))]
            self._open += several
            for connection in several:
                connection.sendall(self._request)
            for connection in several:
                heard = _until_delta(connection)
        return heard


def stream_bytes(served: Served, asked: Asked, *, streams: int, of_one_run: bool) -> float:
    """Resident bytes that an open stream adds, with a run of its own or all of one run.

    A few are open before the count begins, so that what the first ones bring with them is not counted.
    """
    with Held(served, asked.request) as own:
        heard = own.open(1)
        with Held(served, reading(_run_id(heard)) if of_one_run else asked.request) as held:
            held.open(AT_ONCE)
            before = served.used().rss_bytes
            held.open(streams)
            return (served.used().rss_bytes - before) / streams


def _run_id(heard: bytes) -> str:
    """The run that a stream is of."""
    return heard.partition(b'"run_id":"')[2].partition(b'"')[0].decode()


def _until_delta(connection: socket.socket) -> bytes:
    heard = b""
    while DELTA not in heard:
        piece = connection.recv(READ)
        if not piece:
            raise LoadError(f"a stream ended before its first delta: {heard[-300:]!r}")
        heard += piece
    return heard


def _asking(served: Served, asked: Asked) -> socket.socket:
    connection = _connection(served)
    connection.sendall(asked.request)
    return connection


def _connection(served: Served) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", served.port), 60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _check(heard: bytes, asked: Asked) -> None:
    """What was said is there, however it was cut: a store that takes its time makes one delta of several."""
    wanted = "".join(deltas(asked.deltas))
    said = "".join(json.loads(text) for text in TEXT.findall(heard))
    if not heard.startswith(b"HTTP/1.1 200") or not said.startswith(wanted):
        raise LoadError(f"expected a text of {len(wanted)} characters, came {len(said)}: {heard[:300]!r}")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
