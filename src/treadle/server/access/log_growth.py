"""How large the logs of live runs grow: what is over the caps is told of, once.

In: what a worker stored, as an observer. Out: two calls, of a run that is too large and of one that has ended. What is
counted is what this worker stored since it took the run; the events are known by their indexes, whoever stored them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from treadle.errors import RunTooLargeError
from treadle.server.access.admission import Admission
from treadle.values.events import FINAL_TYPES
from treadle.values.ids import RunId
from treadle.values.stretches import EntryStretch, Stretch


@dataclass(slots=True)
class _Size:
    events: int = 0
    size_bytes: int = 0
    is_told: bool = False
    unmeasured: list[EntryStretch] = field(default_factory=list)
    """Entries that were stored last."""


class LogGrowth:
    """An observer that compares logs with the caps of a server.

    Args:
        too_large: Called once for a run whose log is larger than it may be; as a rule it has the run cancelled. It is
            called in the run's own task and must not wait.
    """

    def __init__(self, admission: Admission, too_large: Callable[[RunId], None]) -> None:
        self._admission = admission
        # Compared here before anybody is asked: this is done for every piece that is stored.
        self._events, self._log_bytes = admission.caps.run_events, admission.caps.run_log_bytes
        self._too_large = too_large
        self._sizes: dict[RunId, _Size] = {}

    def stored(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """These stretches were stored."""
        size = self._sizes.get(run_id)
        if size is None:
            size = self._sizes[run_id] = _Size()
        if _is_end(stretches):
            self._admission.ended(run_id)
            return
        size.size_bytes += sum(map(size_of, size.unmeasured))
        size.unmeasured = []
        for stretch in stretches:
            size.events = max(size.events, stretch.index + stretch.events)
            if isinstance(stretch, EntryStretch):
                # Readers wait for this step to end, and to measure entries is dear: the next step does it.
                size.unmeasured.append(stretch)
            else:
                size.size_bytes += size_of(stretch)
        if size.events < self._events and size.size_bytes < self._log_bytes:
            return
        try:
            self._admission.fits(events=size.events, log_bytes=size.size_bytes)
        except RunTooLargeError:
            if not size.is_told:
                size.is_told = True
                self._too_large(run_id)

    def released(self, run_id: RunId, /) -> None:
        """This worker has let the run go."""
        self._sizes.pop(run_id, None)


def size_of(stretch: Stretch) -> int:
    """About how many bytes a stretch takes: those of its text, and of its entries as JSON."""
    if isinstance(stretch, EntryStretch):
        return len(msgspec.json.encode(stretch.entries, enc_hook=_plain))
    text = "".join(stretch.texts)
    return len(text) if text.isascii() else len(text.encode())


def _is_end(stretches: Sequence[Stretch]) -> bool:
    """Whether they end the run. Nothing follows a final event."""
    last = stretches[-1] if stretches else None
    return isinstance(last, EntryStretch) and bool(last.entries) and isinstance(last.entries[-1], FINAL_TYPES)


def _plain(value: object) -> object:
    """What msgspec has no form for, where only size counts: a mapping as it is, an adapter's payload as nothing."""
    return dict(value) if isinstance(value, Mapping) else None
