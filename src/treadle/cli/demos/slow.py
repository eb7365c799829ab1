"""The demonstration of a slow reader: some readers take nothing, and one beside them reads as fast as it can.

In: nothing. Out: how long the fast one took alone and beside them, what they cost the server in memory and rows, how
they were ended, and what they got when they came back.

Source: docs/demos.md.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from treadle.cli.demos import flood
from treadle.cli.demos.counting import NO_DIFFERENCE, Counts
from treadle.cli.demos.memory import resident_bytes
from treadle.cli.demos.outcome import DemoFailedError, Teller
from treadle.cli.demos.reader import Reader, asked_text
from treadle.cli.demos.server_process import ServerProcess

SERVER: Final = "treadle.cli.demos.flood:server"
FROZEN: Final = 24
"""Readers that take nothing."""
RECEIVE_BYTES: Final = 4096
"""What the system holds for each of them on its side, about."""
FROZEN_BYTES: Final = 512 * 1024
"""What a frozen reader may cost the server, whatever the run says: a few blocks that are on their way."""
MARGIN_BYTES: Final = 16 * 1024 * 1024
"""By how much two runs of one server differ in memory without any reason."""
STEADY: Final = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "2"}
"""Has the C library of Linux give large pieces of memory back at once; others do not know these variables."""
SLOWER: Final = 2.0
MARGIN_S: Final = 3.0
"""The fast reader may take this many times as long as alone, and so many seconds: a machine has others to serve."""
ENDING_S: Final = 15.0
"""The longest it may take until all that are frozen have been ended."""
SAMPLED: Final = 20
"""Events of the fast reader between two looks at the server's memory."""
LOOK_S: Final = 0.05
_ENDED: Final = re.compile(r'^treadle_streams_ended_total\{ending="frozen"\} ([0-9.]+)$', re.MULTILINE)
TEXT: Final = "".join(flood.pieces())


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap:
    """One run, as the fast reader had it."""

    reader: Reader
    seconds: float
    peak_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured: of the fast reader alone and beside the frozen, and of these.

    Shape: `rows_alone` and `rows_beside` are those of either run in the store. Of the `frozen`, `ended` were ended by
        the server, and `resumed` came back and read to the end.
    """

    frozen: int
    alone_s: float
    beside_s: float
    grown_bytes: int
    rows_alone: int
    rows_beside: int
    events_beside: int
    ended: int
    resumed: int

    def broken(self) -> list[str]:
        """Which bounds it is out of, a line each."""
        broken = []
        if self.beside_s > SLOWER * self.alone_s + MARGIN_S:
            broken.append(f"a fast reader took {self.beside_s:.2f} s beside the frozen, and {self.alone_s:.2f} s alone")
        if self.grown_bytes > (most := self.frozen * FROZEN_BYTES + MARGIN_BYTES):
            broken.append(f"the frozen readers cost {self.grown_bytes} bytes of memory; {most} are their bound")
        if self.rows_beside > self.events_beside:
            broken.append(f"the store has {self.rows_beside} rows of a run of {self.events_beside} events")
        if self.ended < self.frozen:
            broken.append(f"{self.frozen} readers took nothing, and {self.ended} of them were ended for it")
        if self.resumed < self.frozen:
            broken.append(f"{self.frozen} frozen readers came back, and {self.resumed} were given the end")
        return broken


def slow(
    *, folder: Path, teller: Teller, served: str = SERVER, frozen: int = FROZEN, ending_s: float = ENDING_S
) -> list[str]:
    """Read fast beside readers that read nothing, and measure. Gives what was broken, a line each.

    Args:
        served: What the server serves: the server of `flood`, or one like it.
        frozen: How many readers take nothing.
        ending_s: The longest wait for their end.
    Raises:
        DemoFailedError: It cannot go on.
    """
    others = [Reader() for _ in range(frozen)]
    with ServerProcess(served, folder=folder, variables=STEADY) as server:
        # What a process needs once it takes with its first run, so a later one tells what a run costs.
        first, alone = _lap(server, []), _lap(server, [])
        beside = _lap(server, others)
        ended = _ended(server.url, frozen, within_s=ending_s)
        for reader in others:
            if ended == frozen:
                # Its connection is over, but for what the system still holds of it.
                reader.read_on()
            if not reader.is_over:
                reader.connect(server.url)
                reader.read_on()
    measured = Measured(
        frozen=frozen,
        alone_s=alone.seconds,
        beside_s=beside.seconds,
        grown_bytes=beside.peak_bytes - max(first.peak_bytes, alone.peak_bytes),
        rows_alone=_rows(server.db, alone.reader.run_id),
        rows_beside=_rows(server.db, beside.reader.run_id),
        events_beside=len(beside.reader.heard),
        ended=ended,
        resumed=sum(reader.is_over for reader in others),
    )
    counts = sum((reader.counts(TEXT) for reader in (alone.reader, beside.reader, *others)), NO_DIFFERENCE)
    broken = measured.broken() + ([] if counts.is_clean else [f"the readers' text is not the script's: {counts.words}"])
    _tell(teller, measured, counts, broken)
    return broken


def _tell(teller: Teller, measured: Measured, counts: Counts, broken: Sequence[str]) -> None:
    teller.tell(f"a fast reader alone had {len(TEXT) / 1e6:.1f} MB of text in {measured.alone_s:.2f} s")
    teller.tell(f"beside {measured.frozen} readers that take nothing, it had as much in {measured.beside_s:.2f} s")
    teller.tell(
        f"they cost the server {max(measured.grown_bytes, 0) / 1e6:.1f} MB of memory, where a queue each would hold "
        f"{measured.frozen * len(TEXT) / 1e6:.0f} MB; the store has {measured.rows_beside} rows of the run, "
        f"and {measured.rows_alone} of the one without them"
    )
    teller.tell(
        f"{measured.ended} of {measured.frozen} were ended after {flood.FROZEN_S:g} s in which they took nothing; "
        f"{measured.resumed} came back with their cursor and read to the end"
    )
    teller.tell(f"found: {counts.words}", **asdict(measured), **asdict(counts), broken=list(broken))


def _lap(server: ServerProcess, others: Sequence[Reader]) -> Lap:
    """A run, read as fast as it comes; the others ask for it too, and take no more than the head of their response."""
    reader = Reader(start={"agent": flood.NAME, "prompt": flood.PROMPT})
    began_s = time.monotonic()
    reader.connect(server.url)
    reader.next()
    for other in others:
        other.run_id = reader.run_id
        other.connect(server.url, receive_bytes=RECEIVE_BYTES)
        other.answered()
    peak_bytes = 0
    while reader.next() is not None:
        if len(reader.heard) % SAMPLED == 0:
            peak_bytes = max(peak_bytes, resident_bytes(server.pid))
    seconds = time.monotonic() - began_s
    if not reader.is_over:
        raise DemoFailedError("the fast reader was not given the end of its run")
    return Lap(reader=reader, seconds=seconds, peak_bytes=max(peak_bytes, resident_bytes(server.pid)))


def _ended(url: str, wanted: int, *, within_s: float) -> int:
    """Wait until so many frozen readers have been ended. Gives how many were."""
    until_s = time.monotonic() + within_s
    while True:
        found = _ENDED.search(asked_text(url, "/metrics"))
        ended = int(float(found[1])) if found else 0
        if ended >= wanted or time.monotonic() > until_s:
            return ended
        time.sleep(LOOK_S)


def _rows(db: Path, run_id: str) -> int:
    with closing(sqlite3.connect(f"{db.resolve().as_uri()}?mode=ro", uri=True)) as store:
        (count,) = store.execute("select count(*) from rows where run_id = ?", (run_id,)).fetchone()
    return int(count)
