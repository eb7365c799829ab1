"""Stream events to try things on: what the samples of kernel events say."""

from __future__ import annotations

from tests.values.event_samples import SAMPLES
from treadle.projections.typed.closing import typed_of
from treadle.projections.typed.events import StreamEvent

STREAM_SAMPLES: tuple[StreamEvent, ...] = tuple(said for sample in SAMPLES for said in typed_of(sample))
