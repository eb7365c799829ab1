"""What the server learns from the logs as they are stored: what to count, whose place is free, which log is too large.

In: stretches, as a worker has stored them. Out: counts, and a word where a run has to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from treadle.codec.events import kernel_event_json
from treadle.codec.foreign import json_bytes
from treadle.errors import RunTooLargeError
from treadle.server.access.admission import Admission
from treadle.server.metrics import Metrics
from treadle.values.events import FINAL_TYPES, FinalEvent
from treadle.values.ids import RunId
from treadle.values.stretches import SpeechStretch, Stretch, events_of
from treadle.values.usage import COUNTS, count_or_none

TOO_LARGE: Final = "log_too_large"
"""The reason with which such a run is cancelled."""


class LogsAtWork:
    """An observer of every run at work here.

    Args:
        stop: Ask a run to stop, for this reason. It must not wait.
    """

    def __init__(self, admission: Admission, metrics: Metrics, stop: Callable[[RunId, str], None]) -> None:
        self._admission = admission
        self._metrics = metrics
        self._stop = stop
        self._sizes: dict[RunId, int] = {}

    def stored(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """Look at what was stored. See `RunObserver`."""
        events, size_bytes = 0, self._sizes.get(run_id, 0)
        ended: FinalEvent | None = None
        for stretch in stretches:
            events = stretch.index + stretch.events
            if isinstance(stretch, SpeechStretch):
                size_bytes += sum(map(len, stretch.texts))
                continue
            for event in events_of(stretch, run_id):
                size_bytes += len(json_bytes(kernel_event_json(event)))
                ended = event if isinstance(event, FINAL_TYPES) else None
        self._sizes[run_id] = size_bytes
        if ended is not None:
            self._end(run_id, ended)
        else:
            self._compare(run_id, events=events, size_bytes=size_bytes)

    def released(self, run_id: RunId, /) -> None:
        """Forget a run. See `RunObserver`."""
        self._sizes.pop(run_id, None)

    def _end(self, run_id: RunId, ended: FinalEvent) -> None:
        self._admission.ended(run_id)
        self._metrics.runs_ended.labels(ended.kind).inc()
        for name in COUNTS:
            if (count := count_or_none(ended.outcome.usage, name)) is not None:
                self._metrics.tokens.labels(name).inc(count)

    def _compare(self, run_id: RunId, *, events: int, size_bytes: int) -> None:
        try:
            self._admission.fits(events=events, log_bytes=size_bytes)
        except RunTooLargeError:
            self._stop(run_id, TOO_LARGE)
