"""A provider that keeps what is exported, and one that fails wherever it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn
from weakref import WeakSet

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NoOpTracer, NoOpTracerProvider, Tracer

from treadle.adapters.traces import conventions as conv


class Kept:
    """A real provider; `begun` and `ended` count what its processor is told."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.counts = CountingProcessor()
        self.provider.add_span_processor(self.counts)
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        """What was exported, in the order of the ends."""
        return self._exporter.get_finished_spans()

    def ends(self) -> list[tuple[str, Any, str]]:
        """Name, outcome and status of each span, in the order of the ends."""
        return [(span.name, attributes(span)[conv.OUTCOME], span.status.status_code.name) for span in self.spans]


class CountingProcessor(SpanProcessor):
    """Counts begins and ends; `alive` are the spans that somebody still holds."""

    def __init__(self) -> None:
        self.alive: WeakSet[Span] = WeakSet()
        self.begun = 0
        self.ended = 0

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        assert span.is_recording(), parent_context
        self.begun += 1
        self.alive.add(span)

    def on_end(self, span: ReadableSpan) -> None:
        assert span.end_time is not None
        self.ended += 1


class BrokenProcessor(CountingProcessor):
    """Raises at every end."""

    def on_end(self, span: ReadableSpan) -> None:
        super().on_end(span)
        raise OSError("no collector here")


class BrokenExporter(SpanExporter):
    """Raises at every export."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        raise OSError(f"no collector here for {len(spans)}")


class BrokenProvider(NoOpTracerProvider):
    """Gives a tracer that cannot begin a span."""

    def get_tracer(self, *_: object, **__: object) -> Tracer:
        return BrokenTracer()


class BrokenTracer(NoOpTracer):
    """Begins no span."""

    def start_span(self, *_: object, **__: object) -> NoReturn:
        raise RuntimeError("no span today")


def attributes(span: ReadableSpan) -> dict[str, Any]:
    """The attributes of a span."""
    return dict(span.attributes or {})
