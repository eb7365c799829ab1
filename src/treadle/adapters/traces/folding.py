"""The records of a run to marks of its spans: each segment, its attempts and its calls.

In: stretches, in order, from the first or from the middle. Out: `SpanOpened` and `SpanEnded`, one end for each begin,
whatever the records are and wherever they stop. Times are those of the records. Of speech only the number of its
pieces is told, unless content is wanted.

Events tell what happened. Of facts three are read, and of these only what is no content: that an attempt began
(`RoundOpened`) and was cut (`RoundCut`: its code, what it spent), without which one that showed nothing would leave no
span; and the model's name and the caller's `traceparent` (`RequestKept`). It works without any fact.

Source: docs/traces.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.attempts import CANCELLED, ERROR, RELEASED, AttemptSpans, spent
from treadle.adapters.traces.calls import CallSpans
from treadle.adapters.traces.content import answered, asked
from treadle.adapters.traces.marking import Marking
from treadle.adapters.traces.spans import Attribute, FinishedSpan, Mark, SpanEnded, SpanOpened, finished, named
from treadle.values import events as ev
from treadle.values import facts as fa
from treadle.values.events import CLOSING_TYPES, EVENT_TYPES, FINAL_TYPES, PAUSE_TYPES, ClosingEvent
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.records import Entry
from treadle.values.stretches import SpeechStretch, Stretch

PAUSED: Final = "paused"
"""The outcome of a call whose segment closed while it waited for a person."""
TRACEPARENT: Final = "traceparent"
"""The property of a request that names the caller's span, in the form of W3C Trace Context."""


def fold(stretches: Iterable[Stretch], run_id: RunId, *, content: bool = False) -> list[FinishedSpan]:
    """The spans of a stored run, in the order of their ends. What is still open ends as released."""
    folded = RunFold(run_id, content=content)
    marks = [*folded.feed(stretches), *folded.release()]
    opened = {mark.key: mark for mark in marks if isinstance(mark, SpanOpened)}
    return [finished(opened[mark.key], mark) for mark in marks if isinstance(mark, SpanEnded)]


class RunFold:
    """Where the spans of one run stand.

    Shape: `feed` takes stretches as they are stored and gives marks in the order in which they are to be carried out.
    With `failed` an entry that cannot be read is told there and passed over; without, it is raised.
    """

    def __init__(
        self, run_id: RunId, *, content: bool = False, failed: Callable[[Exception], None] | None = None
    ) -> None:
        self._marking = Marking(run_id=run_id, content=content)
        self._attempts = AttemptSpans(self._marking)
        self._calls = CallSpans(self._marking)
        self._failed = failed
        self._root: RunId | None = None
        self._number: int | None = None
        self._earlier: int | None = None
        self._taking = self._table()
        self.parent_run_id: RunId | None = None
        self.traceparent: object = None
        self.is_final = False

    @property
    def is_open(self) -> bool:
        """Whether a segment's span is open."""
        return self._marking.segment is not None

    def feed(self, stretches: Iterable[Stretch]) -> list[Mark]:
        """Take what was stored; what it does to spans."""
        for stretch in stretches:
            self._marking.tick(stretch.at_s)
            if isinstance(stretch, SpeechStretch):
                self._speech(stretch.kind, stretch.key, stretch.texts)
            else:
                for entry in stretch.entries:
                    self._entry(entry)
        return self._marking.taken()

    def release(self) -> list[Mark]:
        """Nothing more comes: end what is open."""
        self._let_go()
        return self._marking.taken()

    def _entry(self, entry: Entry) -> None:
        if self.is_final:
            return
        try:
            if type(entry) in _UNDER_WAY:
                self._be_in_a_segment()
            if type(entry) not in _PASSED:
                self._taking[type(entry)](entry)
        except Exception as bug:
            # A value that nobody foresaw must not cost the rest of the trace.
            if self._failed is None:
                raise
            self._failed(bug)

    def _be_in_a_segment(self) -> None:
        """Where none is open, this worker goes on with one that another has begun."""
        if self._marking.segment is None:
            self._open_segment({conv.TAKEN_OVER: True})

    def _open_segment(self, more: Mapping[str, Attribute | None]) -> None:
        self._let_go()
        marking = self._marking
        attributes = {
            conv.OPERATION_NAME: conv.INVOKE_AGENT,
            conv.REQUEST_MODEL: marking.model,
            conv.ROOT_RUN_ID: self._root if self._root != marking.run_id else None,
            conv.PARENT_RUN_ID: self.parent_run_id,
            conv.SEGMENT: self._number,
            **marking.whose(),
            **more,
        }
        marking.open_segment(named(conv.INVOKE_AGENT, marking.agent), attributes, follows=self._earlier)
        self._attempts.begin_segment()

    def _let_go(self) -> None:
        if self._marking.segment is not None:
            self._end_segment(RELEASED, {}, calls=RELEASED)

    def _end_segment(
        self, outcome: str, more: Mapping[str, Attribute | None], *, calls: str, code: str | None = None
    ) -> None:
        """End the segment's span, and before it what is still open in it."""
        segment = self._marking.segment
        assert segment is not None
        self._attempts.settle(outcome if outcome in {CANCELLED, ERROR} else RELEASED, code=code)
        self._calls.end_all(calls)
        attributes = {
            conv.OUTCOME: outcome,
            conv.ERROR_TYPE: code,
            conv.UNMEASURED_ATTEMPTS: self._attempts.unmeasured or None,
            **spent(self._attempts.usage),
            **more,
        }
        self._marking.end(segment.key, attributes, failure=code)
        self._marking.segment, self._earlier = None, segment.key

    # Entries.

    def _table(self) -> Mapping[type[Entry], Callable[[Any], None]]:
        """What takes each class of entry that says something of a span."""
        return {
            ev.RunStarted: self._run_started,
            ev.Resumed: self._resumed,
            ev.RoundStarted: self._attempts.started,
            ev.RoundEnded: self._attempts.ended,
            ev.Thinking: lambda event: self._speech(THINKING, event.passage, (event.text,)),
            ev.TextDelta: lambda event: self._speech(TEXT, event.passage, (event.text,)),
            ev.ToolAnnounced: self._announced,
            ev.ToolArguments: lambda event: self._speech(ARGUMENTS, event.call_id, (event.text,)),
            ev.ToolCall: self._calls.called,
            ev.ToolResult: self._calls.settled,
            ev.Retracted: self._retracted,
            **dict.fromkeys(CLOSING_TYPES, self._closed),
            fa.RequestKept: self._asked,
            fa.RoundOpened: self._attempts.asked,
            fa.RoundCut: self._attempts.cut,
        }

    def _asked(self, fact: fa.RequestKept) -> None:
        self._marking.model = fact.rules.model
        self.traceparent = fact.request.properties.get(TRACEPARENT)

    def _run_started(self, event: ev.RunStarted) -> None:
        self._marking.agent, self._marking.thread, self._number = event.agent, event.thread_id, 1
        self._root, self.parent_run_id = event.root_run_id, event.parent_run_id
        self._open_segment({conv.INPUT_MESSAGES: asked(event.prompt) if self._marking.content else None})

    def _resumed(self, _: ev.Resumed) -> None:
        self._number = None if self._number is None else self._number + 1
        self._open_segment({})

    def _closed(self, event: ClosingEvent) -> None:
        outcome = event.outcome
        more = {
            conv.FINISH_REASONS: (outcome.stop_reason,) if outcome.stop_reason else None,
            conv.OUTPUT_MESSAGES: answered(outcome.answer, outcome.stop_reason) if self._marking.content else None,
            conv.TERMINATION: event.termination if isinstance(event, FINAL_TYPES) else None,
            conv.ERROR_REFERENCE: event.reference if isinstance(event, ev.Error) else None,
        }
        calls = PAUSED if isinstance(event, PAUSE_TYPES) else event.kind
        code = event.code if isinstance(event, ev.Error) else None
        self._end_segment(event.kind, more, calls=calls, code=code)
        self.is_final = isinstance(event, FINAL_TYPES)

    def _announced(self, event: ev.ToolAnnounced) -> None:
        self._marking.names[event.call_id] = event.name
        self._attempts.announced(event.call_id, event.name)

    def _retracted(self, event: ev.Retracted) -> None:
        self._attempts.retracted(event)
        # What it had announced is void, and no earlier round has an open call.
        self._marking.names.clear()

    def _speech(self, kind: str, key: int | CallId, texts: tuple[str, ...]) -> None:
        if not self.is_final:
            self._be_in_a_segment()
            self._attempts.speech(kind, key, texts)


_PASSED: Final[frozenset[type[Entry]]] = frozenset(
    {
        ev.Stage,
        ev.ToolProgress,
        ev.Extracted,
        ev.Extension,
        ev.Dropped,
        fa.RecallKept,
        fa.TurnKept,
        fa.OutcomeKept,
        fa.PauseKept,
        fa.DecisionKept,
        fa.CancelKept,
        fa.AnswerKept,
        fa.EndBegun,
    }
)
"""What says nothing of a span."""
_UNDER_WAY: Final = frozenset({*EVENT_TYPES, fa.RoundOpened, fa.RoundCut}) - {ev.RunStarted, ev.Resumed}
"""What shows that a segment is under way; the two that are taken out open one of their own."""
