"""What the server takes in: caps that are compared before the status line.

In: requests, principals, runs. Out: a place that is given back on every way out, or a typed refusal. Knows nothing of
routes, and starts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Self

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive

from treadle.errors import (
    BadRequestError,
    BodyTooLargeError,
    BodyTooSlowError,
    RunTooLargeError,
    TooManyReadersError,
)
from treadle.ports.clock import Clock
from treadle.server.access.live_runs import LiveRuns, Place, StillLive
from treadle.server.access.principal import Principal
from treadle.server.access.said_headers import values_of
from treadle.server.access.within import within
from treadle.values.ids import RunId
from treadle.values.runs import RunState

RETRY_READING_S: Final = 5.0
"""What a reader who finds no place is told to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How much the server takes in.

    Units: `body_bytes` is the body of one request, `body_s` the seconds it may take to arrive; `run_events` and
    `run_log_bytes` are one run's log; `live_runs` and `readers` are one principal's, `all_readers` everybody's.
    """

    body_bytes: int = 1024 * 1024
    body_s: float = 30.0
    run_events: int = 1_000_000
    run_log_bytes: int = 64 * 1024 * 1024
    live_runs: int = 1_000
    readers: int = 2_000
    all_readers: int = 10_000

    def __post_init__(self) -> None:
        for cap in fields(self):
            if not (value := getattr(self, cap.name)) > 0:
                raise ValueError(f"cap {cap.name} is above 0, not {value!r}")


class ReaderPlace:
    """Room for one reader. It is given back at the end of its block, or of a later block where it is kept.

    A class and not a generator: each open stream holds one.
    """

    __slots__ = ("_admission", "_is_kept", "_is_taken", "_principal")

    def __init__(self, admission: Admission, principal: Principal) -> None:
        self._admission = admission
        self._principal = principal
        self._is_taken = self._is_kept = False

    def keep(self) -> Self:
        """Leave it taken at the end of the block at hand; whoever is given it enters it once more."""
        self._is_kept = True
        return self

    def __enter__(self) -> Self:
        if not self._is_taken:
            self._admission.take_reader(self._principal)
            self._is_taken = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_kept:
            self._is_kept = False
        elif self._is_taken:
            self._is_taken = False
            self._admission.free_reader(self._principal)


class Admission:
    """The caps of one server, and what is taken of them."""

    def __init__(self, caps: Caps, clock: Clock) -> None:
        self.caps = caps
        self._live_runs = LiveRuns(caps.live_runs, clock)
        self._readers: dict[Principal, int] = {}
        self.readers = 0
        """How many streams are open now."""

    async def body(self, request: Request) -> bytes:
        """The body of a request, read no further than the cap.

        Raises:
            BodyTooLargeError: It is larger than it may be, or says that it is.
            BodyTooSlowError: It did not arrive in time.
            BadRequestError: Its length is no number.
        """
        lengths = values_of(request.scope, b"content-length")
        told = lengths[0] if lengths else None
        if told is not None and not (told.isascii() and told.isdecimal()):
            raise BadRequestError(f"expected a number of bytes in 'Content-Length', came {told[:40]!r}")
        # A number of more digits than this cannot be read by Python, and is too large anyway.
        if told is not None and (len(told) > 20 or int(told) > self.caps.body_bytes):
            raise self._too_large()
        try:
            return await within(self.caps.body_s, self._read(request.receive))
        except TimeoutError as late:
            raise BodyTooSlowError(f"the body did not arrive within {self.caps.body_s:g} seconds") from late

    def start(self, principal: Principal, still_live: StillLive) -> Place:
        """Hold a place while a run is started; `keep` the run inside the block.

        Args:
            still_live: Tells which of some runs are live still. Asked where the count is full, once a second at most.
        Raises:
            TooManyRunsError: As many of the principal's runs are live as may be.
        """
        return self._live_runs.start(principal, still_live)

    def ended(self, run_id: RunId) -> None:
        """A run has ended: its place is free."""
        self._live_runs.ended(run_id)

    def reader(self, principal: Principal) -> ReaderPlace:
        """A place for somebody who reads a stream. Entering it takes it.

        Raises:
            TooManyReadersError: On entering: as many of the principal's readers are there as may be, or of everybody's.
        """
        return ReaderPlace(self, principal)

    def take_reader(self, principal: Principal) -> None:
        """Count a reader. Of use to its place alone."""
        theirs = self._readers.get(principal, 0)
        if theirs >= self.caps.readers or self.readers >= self.caps.all_readers:
            raise TooManyReadersError(
                f"at most {self.caps.readers} open streams each, {self.caps.all_readers} in all",
                retry_after_s=RETRY_READING_S,
            )
        self._readers[principal] = theirs + 1
        self.readers += 1

    def free_reader(self, principal: Principal) -> None:
        """Count a reader no more. Of use to its place alone."""
        self.readers -= 1
        if (left := self._readers[principal] - 1) > 0:
            self._readers[principal] = left
        else:
            del self._readers[principal]

    def may_grow(self, run: RunState, *, log_bytes: int = 0) -> None:
        """Refuse what would add to a log that is as large as it may be.

        Raises:
            RunTooLargeError: It is.
        """
        self.fits(events=run.next_index, log_bytes=log_bytes)

    def fits(self, *, events: int, log_bytes: int) -> None:
        """Refuse a log of this size.

        Raises:
            RunTooLargeError: It is larger than it may be.
        """
        if events >= self.caps.run_events or log_bytes >= self.caps.run_log_bytes:
            raise RunTooLargeError(
                f"a run has fewer than {self.caps.run_events} events and {self.caps.run_log_bytes} bytes; "
                f"this one has {events} and {log_bytes}"
            )

    def live_runs(self, principal: Principal) -> int:
        """How many live runs are counted for a principal now."""
        return self._live_runs.taken(principal)

    async def _read(self, receive: Receive) -> bytes:
        pieces: list[bytes] = []
        left = self.caps.body_bytes
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            piece = message.get("body", b"")
            left -= len(piece)
            if left < 0:
                raise self._too_large()
            if piece:
                pieces.append(piece)
            if not message.get("more_body", False):
                return b"".join(pieces)

    def _too_large(self) -> BodyTooLargeError:
        return BodyTooLargeError(f"a body has at most {self.caps.body_bytes} bytes")
