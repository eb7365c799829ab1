"""A server that says what it is told to, byte for byte, a response a connection; for readers that are tried on it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from treadle.framing.sse import encode_event

BOUND_S: Final = 10.0
GONE: Final = b""
"""In the place of a response: the connection is closed without one."""


def event(index: int, *, kind: str = "text_delta", text: str = "x", epoch: int = 1) -> bytes:
    """One event of a run."""
    data = f'{{"kind":"{kind}","index":{index},"text":"{text}"}}'
    return encode_event(data, event=kind, event_id=f"{epoch}:{index}")


def response(body: bytes, *, status: str = "200 OK", is_whole: bool = True, headers: str = "") -> bytes:
    """A response in one chunk; without its end where it is not whole."""
    head = f"HTTP/1.1 {status}\r\n{headers}transfer-encoding: chunked\r\n\r\n".encode()
    chunk = f"{len(body):x}\r\n".encode() + body + b"\r\n" if body else b""
    return head + chunk + (b"0\r\n\r\n" if is_whole else b"")


@contextmanager
def answering(responses: Sequence[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Its address, and the requests that it got, while the block lasts."""
    requests: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(BOUND_S)

        def answer() -> None:
            for said in responses:
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(BOUND_S)
                    requests.append(_request(connection))
                    connection.sendall(said)

        thread = threading.Thread(target=answer, name="origin", daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
        thread.join(BOUND_S)


def _request(connection: socket.socket) -> bytes:
    got = b""
    while b"\r\n\r\n" not in got:
        got += connection.recv(65536)
    head, _, body = got.partition(b"\r\n\r\n")
    length = next((int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line), 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
