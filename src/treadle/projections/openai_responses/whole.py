"""Stretches of a run's log to one whole response, for a client that does not stream, or that asks for it anew.

In: stretches, in log order from the first. Out: nothing until the segment asked for has closed, then one payload: the
response. What was retracted is not in it: nobody is told of a void text who need not be.

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from treadle.codec.foreign import json_text
from treadle.projections.openai_responses.project import ResponseRun
from treadle.values import events as ev
from treadle.values.events import KernelEvent
from treadle.values.stretches import Stretch


class WholeResponse(ResponseRun):
    """One segment of a run as one response. `response` is how it stands at any time."""

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """The response, in the stretch that closes its segment."""
        return [json_text(self.response)] if super().payloads(stretch) and self.is_over else []

    def _taken_back(self, _: ev.Retracted) -> list[str]:
        self._open = None
        del self._output[self._begins :]
        return []

    TABLE: ClassVar[Mapping[type[KernelEvent], Callable[[Any, Any], list[str]] | None]] = {
        **ResponseRun.TABLE,
        ev.Retracted: _taken_back,
    }
