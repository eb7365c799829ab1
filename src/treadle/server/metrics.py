"""What the server counts, for Prometheus. Labels are words of ours and names of agents; never who asked or what.

In: what happened. Out: the text of a scrape. One registry a server, so that two in a process do not mix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, generate_latest

from treadle.values.events import FINAL_TYPES, FinalEvent
from treadle.values.ids import RunId
from treadle.values.stretches import EntryStretch, Stretch
from treadle.values.usage import COUNTS, count_or_none

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


class Metrics:
    """Counters of one server.

    Args:
        readers: How many streams are open now.
        live_runs: How many runs are at work in this process now.
    """

    def __init__(self, *, readers: Callable[[], float], live_runs: Callable[[], float]) -> None:
        self._registry = CollectorRegistry()
        self._started: dict[str, Counter] = {}
        self.runs_started = Counter(
            "treadle_runs_started", "Runs that were started here.", ["agent"], registry=self._registry
        )
        self.runs_ended = Counter(
            "treadle_runs_ended", "Runs that came to their end here.", ["state"], registry=self._registry
        )
        self.tokens = Counter(
            "treadle_tokens", "Tokens that providers reported, by what they are.", ["count"], registry=self._registry
        )
        self.streams_ended = Counter(
            "treadle_streams_ended", "Streams that are over, by why.", ["ending"], registry=self._registry
        )
        self.refusals = Counter(
            "treadle_refusals", "Requests that were refused, by code.", ["code"], registry=self._registry
        )
        Gauge("treadle_readers", "Streams that are open.", registry=self._registry).set_function(readers)
        Gauge("treadle_live_runs", "Runs at work in this process.", registry=self._registry).set_function(live_runs)

    def started(self, agent: str) -> None:
        """A run of this agent was started."""
        # To look a child up by its labels costs more than to count.
        counter = self._started.get(agent)
        if counter is None:
            counter = self._started[agent] = self.runs_started.labels(agent)
        counter.inc()

    def text(self) -> bytes:
        """Everything, in the format of Prometheus."""
        return generate_latest(self._registry)


class EndsCounted:
    """An observer that counts how runs end, and what providers reported of them."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def stored(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:  # noqa: ARG002 (the port's)
        """Look whether a run has ended. See `RunObserver`."""
        last = stretches[-1] if stretches else None
        # Nothing follows a final event.
        if isinstance(last, EntryStretch) and last.entries and isinstance(ended := last.entries[-1], FINAL_TYPES):
            self._count(ended)

    def released(self, run_id: RunId, /) -> None:
        """See `RunObserver`."""

    def _count(self, ended: FinalEvent) -> None:
        self._metrics.runs_ended.labels(ended.kind).inc()
        for name in COUNTS:
            if (count := count_or_none(ended.outcome.usage, name)) is not None:
                self._metrics.tokens.labels(name).inc(count)
