"""Rows of a finished passage to one row, in slices so that the store never stalls.

In: runs whose passages are finished. Out: the same events at the same indexes, in fewer rows. A slice is one
transaction over a bounded number of rows, from the end of the log to its beginning; passes are repeated until nothing
more is joined. What is cut off between two slices is a log like any other. Only the writer's thread comes here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final

from treadle.adapters.stores.sqlite import rows
from treadle.codec.compaction import compacted, continues
from treadle.codec.records import ENTRIES, RecordCodec, Row
from treadle.errors import RecordFormatError
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.ids import RunId
from treadle.values.runs import FINAL_STATUSES
from treadle.values.stretches import SpeechStretch

SLICE_ROWS: Final = 256
"""Rows that one slice looks at."""
SLICE_BYTES: Final = 1024 * 1024
"""Bytes of bodies after which a slice ends."""
ROW_TEXTS: Final = 8192
"""Texts that a row holds at most."""
ROW_BYTES: Final = 512 * 1024
"""Bytes of bodies that are joined to one row at most."""

# The bodies of what is not joined any more are not read.
_BEFORE: Final = (
    f"select seq, idx, epoch, at_s, kind, version, case when kind = '{ENTRIES}' or records > ?"
    f" or length(body) > {ROW_BYTES // 2} then null else body end, records from rows"
    " where scope = ? and run_id = ? and (idx, seq) < (?, ?) order by idx desc, seq desc limit ?"
)
_STATUS: Final = "select status from runs where scope = ? and run_id = ?"
Place = tuple[int, int]
_END: Final[Place] = (1 << 62, 0)


class _Target:
    """A run whose rows are being joined. `before` is the place, index and seq, from which the next slice looks back."""

    __slots__ = ("before", "has_edge", "has_joined", "is_whole", "run_id", "scope", "start", "then")

    def __init__(self, scope: str, run_id: RunId, start: Place | None) -> None:
        self.scope = scope
        self.run_id = run_id
        self.is_whole = start is None
        self.start = _END if start is None else start
        self.then: list[Callable[[], None]] = []
        self.begin_pass()

    def begin_pass(self) -> None:
        self.before: Place | None = self.start
        self.has_joined = False
        self.has_edge = False


class _Window:
    """The rows of one slice, in order. `is_first`: there is none before them."""

    def __init__(self, connection: sqlite3.Connection, target: _Target, *, most: int, row_texts: int) -> None:
        self.rows: list[tuple[Row, int, bool]] = []
        self.is_first = True
        size = 0
        place = target.before or _END
        for columns in connection.execute(_BEFORE, (row_texts // 2, target.scope, target.run_id, *place, most + 1)):
            if len(self.rows) == most or size > SLICE_BYTES:
                self.is_first = False
                break
            row = rows.row_of(columns)
            size += len(row.body)
            self.rows.append((row, columns[7], columns[6] is not None))
        self.rows.reverse()

    def next_place(self, groups: list[list[SpeechStretch]]) -> Place:
        """Where the next window ends: before this one, but that it sees again what was joined with nothing here."""
        row = self.rows[0][0]
        is_lonely = any(len(group) == 1 and group[0].seq == row.seq for group in groups)
        return row.index, row.seq + is_lonely


class Compaction:
    """The idle work of a writer: what is to be joined, and the joining."""

    def __init__(self, codec: RecordCodec, *, slice_rows: int = SLICE_ROWS, row_texts: int = ROW_TEXTS) -> None:
        self._codec = codec
        self._slice_rows = slice_rows
        self._row_texts = row_texts
        self._targets: dict[tuple[str, RunId, Place | None], _Target] = {}

    def want(
        self, scope: str, run_id: RunId, *, before: Place | None = None, then: Callable[[], None] | None = None
    ) -> None:
        """A passage that ends before a place is finished; None: the run is at rest, and all its rows are looked at.

        `then` is called when that is done, or cannot be.
        """
        key = (scope, run_id, before)
        target = _Target(scope, run_id, before)
        if key in self._targets:
            target.then = self._targets[key].then
        if then is not None:
            target.then.append(then)
        self._targets[key] = target

    def want_loose(self, connection: sqlite3.Connection) -> None:
        """Runs at rest whose rows an earlier owner of the store did not get to."""
        for scope, run_id in connection.execute("select scope, run_id from runs where loose and status <> 'owned'"):
            self.want(scope, RunId(run_id))

    def is_due(self) -> bool:
        """Whether there is a run to look at."""
        return bool(self._targets)

    def slice(self, connection: sqlite3.Connection, /) -> None:
        """Join rows of one run, once."""
        target = next(iter(self._targets.values()))
        window = _Window(connection, target, most=self._slice_rows, row_texts=self._row_texts)
        groups = self._groups(window)
        if target.before == _END and groups[-1] and not _is_final(connection, target):
            # Its last row stays apart while a passage is not finished: it tells when the run was last at work.
            groups[-1].pop()
        for group in groups:
            if len(group) > 1:
                places = [(stretch.index, stretch.seq) for stretch in group]
                rows.remove(connection, target.scope, target.run_id, places=places)
                joined = rows.stored(self._codec, compacted(group))
                rows.insert(connection, target.scope, target.run_id, new=[joined])
                target.has_joined = True
        # Two joined parts of one passage, of two windows, are joined by another pass.
        target.has_edge |= not window.is_first
        ends_here = not target.is_whole and sum(map(len, groups)) < len(window.rows)
        target.before = None if window.is_first or ends_here else window.next_place(groups)
        if target.before is None and target.is_whole and not self._is_another_due(target):
            done = "update runs set loose = 0 where scope = ? and run_id = ?"
            connection.execute(done, (target.scope, target.run_id))

    def done(self) -> None:
        """The slice is committed: go on with the next."""
        key, target = next(iter(self._targets.items()))
        del self._targets[key]
        if target.before is None:
            if not self._is_another_due(target):
                _tell(target)
                return
            target.begin_pass()
        # To the end of the line: a long run lets others have their turn.
        self._targets[key] = target
        reach(Failpoint.COMPACTION_BETWEEN_SLICES)

    def failed(self) -> None:
        """The slice was taken back: leave the run alone until there is reason again."""
        _tell(self._targets.pop(next(iter(self._targets))))

    def abandon(self) -> None:
        """Nobody will do any of it."""
        while self._targets:
            self.failed()

    @staticmethod
    def _is_another_due(target: _Target) -> bool:
        return target.has_joined and target.has_edge

    def _groups(self, window: _Window) -> list[list[SpeechStretch]]:
        """Stretches of speech that go on with each other, in order; what is not joined stands between."""
        groups: list[list[SpeechStretch]] = [[]]
        texts = size = 0
        for row, records, is_open in window.rows:
            stretch = self._speech(row) if is_open else None
            if stretch is None:
                groups.append([])
                continue
            texts += records
            size += len(row.body)
            group = groups[-1]
            if group and (texts > self._row_texts or size > ROW_BYTES or not continues(group[-1], stretch)):
                groups.append([])
            if not groups[-1]:
                texts, size = records, len(row.body)
            groups[-1].append(stretch)
        return groups

    def _speech(self, row: Row) -> SpeechStretch | None:
        try:
            stretch = self._codec.load_stretch(row)
        except RecordFormatError:
            return None
        return stretch if isinstance(stretch, SpeechStretch) else None


def _is_final(connection: sqlite3.Connection, target: _Target) -> bool:
    found = connection.execute(_STATUS, (target.scope, target.run_id)).fetchone()
    return found is None or found[0] in FINAL_STATUSES


def _tell(target: _Target) -> None:
    for then in target.then:
        then()
