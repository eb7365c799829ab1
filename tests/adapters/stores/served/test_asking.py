"""Questions to the owner of a store."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from treadle.adapters.stores.served.asking import Asking
from treadle.errors import RunLogError, RunNotFoundError, StoreOwnedError

REFUSED = b'{"code":"run_not_found","message":"there is no run"}'


@contextmanager
def owner(answer: bytes) -> Generator[Asking, None, None]:
    """Somebody who answers one question with these bytes and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def once() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)
                # What is closed with something unread is broken off by the system, and the answer may be lost with it.
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass

        thread = threading.Thread(target=once)
        thread.start()
        try:
            yield Asking(f"http://127.0.0.1:{listener.getsockname()[1]}", "t")
        finally:
            thread.join(5)


def response(status: str, body: bytes) -> bytes:
    """A whole answer."""
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


def test_an_answer_is_given_as_it_is() -> None:
    """Ours: what it says is for others to read."""
    with owner(response("200 OK", b"[1]")) as asking:
        assert asking.ask("find", b"{}") == b"[1]"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (response("409 Conflict", REFUSED), RunNotFoundError),
        (response("401 Unauthorized", b"{}"), StoreOwnedError),
        (response("503 Busy", b"{}"), StoreOwnedError),
        (b"nonsense\r\n\r\n", StoreOwnedError),
        (b"", StoreOwnedError),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort", StoreOwnedError),
    ],
)
def test_whatever_else_comes_is_an_error_of_the_store(answer: bytes, error: type[RunLogError]) -> None:
    """Ours: a command tells it in one line, and never shows a traceback."""
    with owner(answer) as asking, pytest.raises(error):
        asking.ask("find", b"{}")
    with owner(answer) as asking, pytest.raises(error):
        asking.pour("import", ["a\n"])


def test_lines_that_break_off_are_no_end() -> None:
    """Ours: an export that is cut is told, and not taken for a short one."""
    cut = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\none\n\r\n"
    with owner(cut) as asking:
        lines = asking.lines("export", b"{}")
        assert next(lines) == "one"
        with pytest.raises(RunLogError, match="broke off"):
            next(lines)


def test_an_owner_that_is_not_there_is_told() -> None:
    """Ours: it may have died without a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(StoreOwnedError, match="cannot be asked"):
        Asking(f"http://127.0.0.1:{port}", "t").ask("find", b"{}")
