"""A reader of one run over HTTP, as a browser's page is one: it asks, reads, loses its connection, and comes back.

In: the address of whichever server works on the run now. Out: events. It remembers the id of the last event that it got
and nothing else, so what it misses or gets again is the server's doing.
"""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from treadle.cli.demos.counting import Counts, counted
from treadle.cli.demos.folding import Folding
from treadle.cli.demos.outcome import DemoFailedError
from treadle.framing.sse import SseEvent, SseParser

SILENCE_S: Final = 60.0
"""The longest wait for the next byte. A server says every few seconds that it is there."""
LONGEST_S: Final = 180.0
"""The longest a reader stays with one connection."""
SEGMENT_BYTES: Final = 536
"""Of a reader that is to hold little: what every network can carry."""
FINAL_KINDS: Final = ("done", "error", "cancelled")
_READ_BYTES: Final = 64 * 1024
# How a connection says that nobody is at its other end any more.
_GONE: Final = (http.client.IncompleteRead, http.client.RemoteDisconnected, ConnectionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One event, and the cursor that stands on it."""

    cursor: str
    event: Mapping[str, Any]

    @property
    def index(self) -> int:
        """Its place in the run."""
        return int(self.event["index"])

    @property
    def is_final(self) -> bool:
        """Whether the run is over with it."""
        return self.event["kind"] in FINAL_KINDS


class Reader:
    """One reader of one run.

    Args:
        start: The body of the request that starts the run, when it is first connected. With a key it may be sent again.
        run_id: The run, where somebody else has started it.
    """

    def __init__(self, *, start: Mapping[str, str] | None = None, run_id: str = "") -> None:
        self.run_id = run_id
        self.heard: list[Heard] = []
        self.folding = Folding()
        self.cursor = ""
        self._start = start
        self._connection: http.client.HTTPConnection | None = None
        self._response: http.client.HTTPResponse | None = None
        self._parser = SseParser()
        self._waiting: list[SseEvent] = []
        self._until_s = 0.0

    @property
    def is_over(self) -> bool:
        """Whether it has the run's last event."""
        return bool(self.heard) and self.heard[-1].is_final

    @property
    def last_index(self) -> int:
        """The index of the last event that it has; -1 before the first."""
        return self.heard[-1].index if self.heard else -1

    def counts(self, expected: str) -> Counts:
        """What it has of the whole run, against the text that the run should have."""
        return counted([heard.index for heard in self.heard], self.folding.text, expected=expected)

    def connect(self, url: str, *, receive_bytes: int | None = None) -> None:
        """Send the request: for the run's start where its name is not known, else for what lies behind the cursor.

        Args:
            receive_bytes: How much the system holds for this connection on this side; as much as it likes without.
        Raises:
            DemoFailedError: Nobody listens there.
        """
        self.leave()
        self._parser, self._waiting = SseParser(), []
        self._until_s = time.monotonic() + LONGEST_S
        headers = {"accept": "text/event-stream"} | ({"last-event-id": self.cursor} if self.cursor else {})
        try:
            self._connection = _connected(url, receive_bytes)
            if self.run_id:
                self._connection.request("GET", f"/v1/runs/{self.run_id}/events", headers=headers)
            else:
                headers["content-type"] = "application/json"
                self._connection.request("POST", "/v1/runs", body=json.dumps(self._start), headers=headers)
        except OSError as failure:
            raise DemoFailedError(f"no connection to {url}: {failure}") from failure

    def answered(self) -> bool:
        """Wait for the head of the response. False: the other end has gone.

        Raises:
            DemoFailedError: The server refuses, or says nothing.
        """
        if self._response is None and self._connection is not None:
            try:
                self._response = self._connection.getresponse()
            except _GONE:
                self.leave()
                return False
            except TimeoutError as silence:
                raise DemoFailedError(f"the server did not answer for {SILENCE_S:g} s") from silence
            self._look_at(self._response)
        return self._response is not None

    def next(self) -> Heard | None:
        """The next event; None where this connection has no more.

        Raises:
            DemoFailedError: Nothing comes, or what comes is no event of a run.
        """
        try:
            while not self._waiting:
                if not self.answered() or not (data := self._more()):
                    self.leave()
                    return None
                self._waiting = self._parser.feed(data)
            return self._taken(self._waiting.pop(0))
        except DemoFailedError:
            self.leave()
            raise

    def read_on(self) -> None:
        """Take all that this connection still has.

        Raises:
            DemoFailedError: See `next`.
        """
        while self.next() is not None:
            pass

    def leave(self) -> None:
        """Close the connection, whatever is on its way."""
        if self._response is not None:
            self._response.close()
        if self._connection is not None:
            self._connection.close()
        self._connection = self._response = None

    def _taken(self, sent: SseEvent) -> Heard:
        try:
            heard = Heard(cursor=sent.event_id, event=json.loads(sent.data))
            self.folding.take(heard.event)
            self.heard.append(heard)
            self.cursor = heard.cursor
            heard.index  # noqa: B018 (looked at where it can be told what came)
        except (ValueError, KeyError, TypeError) as wrong:
            raise DemoFailedError(f"expected an event of a run, came {sent.text[:200]!r}") from wrong
        return heard

    def _look_at(self, response: http.client.HTTPResponse) -> None:
        if response.status not in (200, 204):
            raise DemoFailedError(f"the server refused, status {response.status}: {response.read(400)!r}")
        place = response.headers.get("location")
        if place is not None:
            self.run_id = place.rpartition("/")[2]

    def _more(self) -> bytes:
        """More bytes of the body; none where it has ended, in good order or not."""
        assert self._response is not None
        if time.monotonic() > self._until_s:
            raise DemoFailedError(f"the run did not end within {LONGEST_S:g} s")
        try:
            return self._response.read1(_READ_BYTES)
        except _GONE:
            return b""
        except TimeoutError as silence:
            raise DemoFailedError(f"nothing came for {SILENCE_S:g} s") from silence


def _connected(url: str, receive_bytes: int | None) -> http.client.HTTPConnection:
    where = urlsplit(url)
    host, port = where.hostname or "", where.port or 80
    connection = http.client.HTTPConnection(host, port, timeout=SILENCE_S)
    if receive_bytes is not None:
        connection.sock = _narrow(host, port, receive_bytes)
    return connection


def _narrow(host: str, port: int, receive_bytes: int) -> socket.socket:
    """A connection for which the system holds little, on either side."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # Said before the connection is made, or the other end would be told of a larger window.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        if hasattr(socket, "TCP_MAXSEG"):
            # On one machine a segment is as large as a buffer, and the other end would hold some megabytes too.
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_BYTES)
        made.settimeout(SILENCE_S)
        made.connect((host, port))
    except OSError:
        made.close()
        raise
    return made


def asked(url: str, path: str) -> Mapping[str, Any]:
    """The JSON object behind a path.

    Raises:
        DemoFailedError: There is none.
    """
    text = asked_text(url, path)
    try:
        found = json.loads(text)
    except ValueError as wrong:
        raise DemoFailedError(f"expected JSON of {path}, came {text[:200]!r}") from wrong
    assert isinstance(found, dict), "every JSON answer of the server is an object"
    return found


def asked_text(url: str, path: str) -> str:
    """The text behind a path.

    Raises:
        DemoFailedError: There is none.
    """
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port or 80, timeout=SILENCE_S)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException) as failure:
        raise DemoFailedError(f"{path} was not answered: {failure}") from failure
    finally:
        connection.close()
    if response.status != 200:
        raise DemoFailedError(f"{path} was refused, status {response.status}: {body[:200]!r}")
    return body.decode("utf-8", "replace")
