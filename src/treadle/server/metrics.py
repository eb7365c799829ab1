"""What the server counts, for Prometheus. Labels are words of ours and names of agents; never who asked or what.

In: what happened. Out: the text of a scrape. One registry a server, so that two in a process do not mix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, generate_latest

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


class Metrics:
    """Counters of one server.

    Args:
        readers: How many streams are open now.
        live_runs: How many runs are at work in this process now.
    """

    def __init__(self, *, readers: Callable[[], float], live_runs: Callable[[], float]) -> None:
        self._registry = CollectorRegistry()
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

    def text(self) -> bytes:
        """Everything, in the format of Prometheus."""
        return generate_latest(self._registry)
