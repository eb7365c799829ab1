"""The marks of one run as they are made, and what every span of the run says of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.spans import Attribute, Mark, SpanEnded, SpanOpened, known
from treadle.values.ids import NO_THREAD, CallId, RunId, ThreadId


class OpenSegment(NamedTuple):
    """The segment whose span is open. `began_s` is UTC seconds."""

    key: int
    began_s: float


@dataclass(slots=True)
class Marking:
    """What is known of the run by now, the marks nobody has taken yet, and the time.

    Units: `now_s` is UTC seconds by the records; it never goes back, and a time that is no number does not move it.
    """

    run_id: RunId
    content: bool
    agent: str = ""
    model: str = ""
    thread: ThreadId = NO_THREAD
    names: dict[CallId, str] = field(default_factory=dict)
    """Names of the tools of calls without a result."""
    segment: OpenSegment | None = None
    now_s: float = 0.0
    _marks: list[Mark] = field(default_factory=list)
    _keys: int = 0

    def tick(self, at_s: float) -> None:
        """The records that come were written then."""
        if self.now_s < at_s < math.inf:
            self.now_s = at_s

    def taken(self) -> list[Mark]:
        """The marks since they were last taken."""
        marks, self._marks = self._marks, []
        return marks

    def whose(self) -> dict[str, Attribute | None]:
        """What every span of the run says."""
        return {conv.AGENT_NAME: self.agent, conv.CONVERSATION_ID: self.thread, conv.RUN_ID: self.run_id}

    def open_segment(self, name: str, attributes: Mapping[str, Attribute | None], *, follows: int | None) -> None:
        """Begin the span of a segment."""
        self.segment = OpenSegment(self._open(name, attributes, follows=follows), self.now_s)

    def open_within(
        self, name: str, attributes: Mapping[str, Attribute | None], *, at_s: float, is_client: bool = False
    ) -> int:
        """Begin a span in the open segment's, and give its key."""
        return self._open(name, attributes, at_s=at_s, is_client=is_client)

    def end(
        self,
        key: int,
        attributes: Mapping[str, Attribute | None],
        *,
        at_s: float | None = None,
        failure: str | None = None,
    ) -> None:
        """End a span, now or when it was over."""
        ended_s = self.now_s if at_s is None else at_s
        self._marks.append(SpanEnded(key=key, at_s=ended_s, attributes=known(attributes), failure=failure))

    def _open(
        self,
        name: str,
        attributes: Mapping[str, Attribute | None],
        *,
        follows: int | None = None,
        at_s: float | None = None,
        is_client: bool = False,
    ) -> int:
        self._keys += 1
        opened = SpanOpened(
            key=self._keys,
            name=name,
            at_s=self.now_s if at_s is None else at_s,
            attributes=known(attributes),
            parent=self.segment.key if self.segment is not None else None,
            follows=follows,
            is_client=is_client,
        )
        self._marks.append(opened)
        return opened.key
