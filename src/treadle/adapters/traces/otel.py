"""Spans to OpenTelemetry, in the worker that stores the run.

In: what was stored of runs, as the port of observers tells it. Out: spans, begun and ended once, with the times of the
records. No context is attached anywhere: every span is given its parent, so the caller's current span stays what it
is. Whatever goes wrong in here is logged and harms no run.

Source: docs/traces.md.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from treadle._version import __version__
from treadle.adapters.traces.conventions import SCHEMA_URL
from treadle.adapters.traces.folding import TRACEPARENT, RunFold
from treadle.adapters.traces.spans import Mark, SpanEnded, SpanOpened
from treadle.values.ids import RunId
from treadle.values.stretches import Stretch

_log = logging.getLogger("treadle.traces")
REMEMBERED: Final = 1024
"""Runs that wait and whose names and last span are kept for their next segment; the eldest are forgotten."""


@dataclass(slots=True)
class _Run:
    """The spans of one run that are open, and what its next segment is to be tied to."""

    fold: RunFold
    spans: dict[int, Span] = field(default_factory=dict)
    segment: tuple[int, SpanContext] | None = None
    """Key and identity of the segment's span that is open, or was last."""
    parent: Context | None = None
    next_seq: int = 0
    """How far the log was folded."""

    def feed(self, stretches: Iterable[Stretch]) -> list[Mark]:
        """Fold what was stored."""
        taken = list(stretches)
        marks = self.fold.feed(taken)
        self.next_seq = max(self.next_seq, _end_of(taken))
        return marks


class OtelTraces:
    """Observes runs and traces them.

    Shape: `tracer_provider` None is the global one, whenever it is set. `content` puts what was said and what tools
    were given and gave on the spans, as it was shown; without it no such text is read.
    """

    def __init__(self, tracer_provider: TracerProvider | None = None, *, content: bool = False) -> None:
        self._tracer = trace.get_tracer("treadle", __version__, tracer_provider, SCHEMA_URL)
        self._content = content
        self._live: dict[RunId, _Run] = {}
        self._resting: OrderedDict[RunId, _Run] = OrderedDict()
        self._logged: set[type[Exception]] = set()

    @property
    def open_runs(self) -> int:
        """How many runs have an open span."""
        return len(self._live)

    @property
    def resting_runs(self) -> int:
        """How many runs without an open span are remembered for their next segment."""
        return len(self._resting)

    def stored(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """Begin and end the spans that these stretches begin and end."""
        try:
            self._carry_all(self._run(run_id), stretches, run_id)
        except Exception as bug:  # noqa: BLE001 (the border of tracing: no run may be harmed by it)
            self._failed(bug)

    def released(self, run_id: RunId, /) -> None:
        """End what is still open of the run, marked as released."""
        try:
            self._let_go(run_id)
        except Exception as bug:  # noqa: BLE001 (the border of tracing: no run may be harmed by it)
            self._failed(bug)

    def learn(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """Take what was stored before this worker came: names, thread and caller are learnt of it, no span is made.

        Of a run that this process has traced up to there nothing is learnt anew.
        """
        try:
            self._let_go(run_id)
            known = self._resting.get(run_id)
            if not stretches or (known is not None and known.next_seq == _end_of(stretches)):
                return
            run = self._made(run_id)
            run.parent = None if known is None else known.parent
            run.feed(stretches)
            run.fold.release()
            self._rest(run_id, run)
        except Exception as bug:  # noqa: BLE001 (the border of tracing: no run may be harmed by it)
            self._failed(bug)

    def export(self, run_id: RunId, stretches: Iterable[Stretch], /) -> None:
        """Trace a stored run after the fact, from its first record; its spans have the times of the records."""
        try:
            run = self._made(run_id)
            self._carry(run, run.feed(stretches))
            self._carry(run, run.fold.release())
        except Exception as bug:  # noqa: BLE001 (the border of tracing: an export is no more than that)
            self._failed(bug)

    def _let_go(self, run_id: RunId) -> None:
        run = self._live.pop(run_id, None)
        if run is not None:
            self._carry(run, run.fold.release())
            self._rest(run_id, run)

    def _run(self, run_id: RunId) -> _Run:
        return self._live.get(run_id) or self._resting.get(run_id) or self._made(run_id)

    def _made(self, run_id: RunId) -> _Run:
        return _Run(fold=RunFold(run_id, content=self._content, failed=self._failed))

    def _carry_all(self, run: _Run, stretches: Sequence[Stretch], run_id: RunId) -> None:
        marks = run.feed(stretches)
        if marks:
            self._carry(run, marks)
            if run.fold.is_open:
                self._resting.pop(run_id, None)
                self._live[run_id] = run
            else:
                self._live.pop(run_id, None)
                self._rest(run_id, run)
        elif run_id not in self._live and stretches:
            self._rest(run_id, run)

    def _rest(self, run_id: RunId, run: _Run) -> None:
        """Keep what a next segment needs; a run that is over has none."""
        self._resting.pop(run_id, None)
        if not run.fold.is_final:
            self._resting[run_id] = run
            if len(self._resting) > REMEMBERED:
                self._resting.popitem(last=False)

    def _carry(self, run: _Run, marks: Iterable[Mark]) -> None:
        for mark in marks:
            try:
                if isinstance(mark, SpanOpened):
                    self._open(run, mark)
                else:
                    self._end(run, mark)
            except Exception as bug:  # noqa: BLE001 (one span that fails costs no other)
                self._failed(bug)

    def _open(self, run: _Run, mark: SpanOpened) -> None:
        if mark.parent is None and run.parent is None:
            run.parent = self._parent(run)
        within = run.spans.get(mark.parent) if mark.parent is not None else None
        span = self._tracer.start_span(
            mark.name,
            context=run.parent if within is None else trace.set_span_in_context(within, Context()),
            kind=SpanKind.CLIENT if mark.is_client else SpanKind.INTERNAL,
            attributes=mark.attributes,
            links=_links(run, mark),
            start_time=_nanoseconds(mark.at_s),
        )
        run.spans[mark.key] = span
        if mark.parent is None:
            run.segment = (mark.key, span.get_span_context())

    def _end(self, run: _Run, mark: SpanEnded) -> None:
        span = run.spans.pop(mark.key, None)
        if span is None:
            return  # It could not be begun.
        try:
            span.set_attributes(mark.attributes)
            if mark.failure is not None:
                span.set_status(Status(StatusCode.ERROR))
        finally:
            span.end(_nanoseconds(mark.at_s))

    def _parent(self, run: _Run) -> Context:
        """What the segments of the run stand under.

        The caller's span, where the request names it; the run whose call began this one; or the span that is current
        where the run's task was begun.
        """
        named = _caller(run.fold.traceparent)
        if named is not None:
            return named
        above = self._live.get(run.fold.parent_run_id) if run.fold.parent_run_id is not None else None
        if above is not None and above.segment is not None:
            return _under(above.segment[1])
        return _under(trace.get_current_span().get_span_context())

    def _failed(self, bug: Exception) -> None:
        """Say it once for each class: what fails for one run mostly fails for all."""
        if type(bug) not in self._logged:
            self._logged.add(type(bug))
            _log.warning("tracing failed; the run goes on, and failures of this class are not told again", exc_info=bug)


def _under(context: SpanContext) -> Context:
    """A context with nothing in it but this span; empty where it is none."""
    return trace.set_span_in_context(trace.NonRecordingSpan(context), Context()) if context.is_valid else Context()


def _caller(traceparent: object) -> Context | None:
    if not isinstance(traceparent, str):
        return None
    read = TraceContextTextMapPropagator().extract({TRACEPARENT: traceparent}, context=Context())
    return read if trace.get_current_span(read).get_span_context().is_valid else None


def _links(run: _Run, mark: SpanOpened) -> list[Link]:
    """The earlier segment's span, where this process has it."""
    if mark.follows is None or run.segment is None or run.segment[0] != mark.follows or not run.segment[1].is_valid:
        return []
    return [Link(run.segment[1])]


def _end_of(stretches: Sequence[Stretch]) -> int:
    return stretches[-1].seq + stretches[-1].records if stretches else 0


def _nanoseconds(at_s: float) -> int:
    return round(at_s * 1_000_000_000)
