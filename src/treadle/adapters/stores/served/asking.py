"""Questions to the owner of a store, one connection each, from any thread.

In: the name of a question and its body. Out: the body of the answer, or the exception that the owner tells of. The
standard library's client: the address is one on this machine, and commands need nothing installed for it.
"""

from __future__ import annotations

import http.client
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from typing import Final
from urllib.parse import urlsplit

from treadle.codec.owner_wire import PATH, error_of
from treadle.errors import RunLogError, StoreOwnedError

TIMEOUT_S: Final = 30.0
"""Seconds that an answer may take to begin, or to go on."""
_PIECE_BYTES: Final = 64 * 1024
_OK, _STORE_REFUSES, _UNKNOWN = 200, 409, 401


class Asking:
    """Whom to ask."""

    def __init__(self, url: str, token: str) -> None:
        split = urlsplit(url)
        self._host, self._port = split.hostname or "", split.port or 80
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, name: str, body: bytes) -> bytes:
        """The answer to a question.

        Raises:
            StoreOwnedError: The owner cannot be asked.
            RunLogError: What the owner's store says.
        """
        with closing(self._connection()) as connection:
            try:
                return self._answer(connection, name, body).read()
            except (OSError, http.client.HTTPException) as broken:
                raise self._silent() from broken

    def pour(self, name: str, lines: Iterable[str]) -> bytes:
        """The answer to lines that are sent as they are read.

        Raises:
            StoreOwnedError: The owner cannot be asked.
            RunLogError: What the owner's store says; what reading the lines raises.
        """
        with closing(self._connection()) as connection:
            try:
                return self._answer(connection, name, (line.encode() for line in lines)).read()
            except (OSError, http.client.HTTPException) as broken:
                raise self._silent() from broken

    def lines(self, name: str, body: bytes) -> Iterator[str]:
        """The lines of an answer, as they come, without their ends.

        Raises:
            StoreOwnedError: The owner cannot be asked.
            RunLogError: What the owner's store says, or the answer broke off.
        """
        with closing(self._connection()) as connection:
            try:
                response, rest = self._answer(connection, name, body), b""
                # Its own iteration takes an answer that breaks off for one that ends.
                while piece := response.read1(_PIECE_BYTES):
                    *lines, rest = (rest + piece).split(b"\n")
                    yield from (line.decode() for line in lines)
            except (OSError, http.client.HTTPException) as broken:
                raise RunLogError(f"the answer of the store's owner at {self._url} broke off") from broken

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)

    def _answer(
        self, connection: http.client.HTTPConnection, name: str, body: bytes | Iterable[bytes]
    ) -> http.client.HTTPResponse:
        # An owner that refuses does not wait for the whole question: what it says stands there to be read.
        with suppress(BrokenPipeError):
            connection.request("POST", f"{PATH}/{name}", body, self._headers)
        response = connection.getresponse()
        if response.status == _STORE_REFUSES:
            raise error_of(response.read())
        if response.status == _UNKNOWN:
            raise StoreOwnedError(f"the store's owner at {self._url} has another token by now; try again")
        if response.status != _OK:
            raise StoreOwnedError(f"the store's owner at {self._url} answers with status {response.status}")
        return response

    def _silent(self) -> StoreOwnedError:
        return StoreOwnedError(f"another process has the store, serves it at {self._url}, and cannot be asked there")
