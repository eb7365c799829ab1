"""The one writer of a run: drafts and pieces to numbered events."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.kernel.effects import Close, Effect, Emit, Keep
from treadle.runtime.kind_runs import ENTRIES, KindRuns
from treadle.runtime.reader import Reader
from treadle.runtime.redaction import Redaction
from treadle.runtime.writer import Writer
from treadle.text.close_state import CloseState
from treadle.text.filters import by_name
from treadle.text.surrogates import find_half
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome
from treadle.values.events import KernelEvent
from treadle.values.facts import RoundOpened
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING

RUN = RunId("r1")
STARTED = Emit(event=ev.RoundStarted, fields={"round": 1, "attempt": 1, "model": "m"}, held=True)
ANNOUNCED = Emit(event=ev.ToolAnnounced, fields={"call_id": CallId("c"), "name": "t"})
RESULT = Emit(event=ev.ToolResult, fields={"outcome": ToolOutcome(call_id=CallId("c"))})
PROGRESS = Emit(event=ev.ToolProgress, fields={"call_id": CallId("c"), "sequence": 0, "payload": 1})
RETRACTED = Emit(event=ev.Retracted, fields={"round": 1, "attempt": 1, "reason": "busy"})
DONE = Close(event=ev.Done, fields={"termination": "completed"}, outcome={"run_id": RUN})


class Page:
    """A writer and what it has written."""

    def __init__(self, *names: str, passage: int = 0) -> None:
        self.runs = KindRuns(lambda: 0.0, bounded=False, limit=1_000)
        filters = [by_name(name) for name in names]
        self.writer = Writer(
            run_id=RUN,
            runs=self.runs,
            state=CloseState(filters),
            redaction=Redaction.among(filters),
            passage=passage,
        )
        self.writer.begin_attempt(1)

    def write(self, *effects: Effect) -> None:
        """Write what a machine wants written; there is nothing else among it."""
        carried: list[object] = []
        self.writer.write(effects, carried.append)
        assert carried == []

    def by_road(self, kind: str, piece: str) -> None:
        """Write a piece as the loop does."""
        open_kind, sight, look, append = self.writer.road
        if kind != open_kind:
            self.writer.speak(kind, piece)
        elif sight is not None and piece and sight() not in piece and not find_half(piece):
            append(piece)
        elif look is None:
            self.writer.speak(kind, piece)
        elif shown := look(piece):
            append(shown)
        else:
            self.writer.let_go(kind, piece)

    def text(self) -> str:
        """The text in the log."""
        return "".join(piece for run in self.runs.runs if run.kind == TEXT for piece in run.items)

    async def events(self) -> list[KernelEvent]:
        """All that a reader sees."""
        self.writer.close(DONE, duration_ms=1.0)
        return [event async for event in Reader(self.runs, RUN, None)]


def told(events: list[KernelEvent]) -> list[tuple[str, str]]:
    """Kinds, and what was said."""
    return [(event.kind, getattr(event, "text", "")) for event in events]


kinds = st.sampled_from([TEXT, THINKING, ARGUMENTS])
speech = st.lists(st.tuples(kinds, st.sampled_from(["", "a", "b ", "<", "<think>", "</think>", "sk-1 "])), max_size=12)


@given(speech, st.sampled_from([(), ("think",), ("redact",), ("think", "redact")]))
async def test_the_road_is_nothing_but_a_short_cut(said, names):
    """Law 9: a piece on its short road becomes what it becomes on the long one."""
    short, long = Page(*names), Page(*names)
    for kind, piece in said:
        short.by_road(kind, piece)
        long.writer.speak(kind, piece)
    short.writer.end_turn()
    long.writer.end_turn()
    assert await short.events() == await long.events()


asides = st.sampled_from(["nothing", "coalesce", "settle", "measured", "look", "progress", "fact", "held"])
BESIDE = {"progress": PROGRESS, "fact": Keep(fact=RoundOpened(round=1, attempt=1)), "held": STARTED}


@given(st.lists(st.tuples(kinds, st.sampled_from(["a", "b ", "<", "</think>", "\u00e9"]), asides), max_size=12))
async def test_the_text_of_a_run_is_what_stands_in_its_log(said):
    """Promise: what was shown is what is stored, whoever looks when, and whatever has become one piece meanwhile."""
    page = Page("think")
    for kind, piece, aside in said:
        page.by_road(kind, piece)
        if aside == "look":
            assert page.writer.answer() == page.text()
        elif aside in BESIDE:
            page.write(BESIDE[aside])
        elif aside != "nothing":
            getattr(page.runs, aside)()
    page.writer.end_turn()
    assert page.writer.answer() == page.text()
    assert (await page.events())[-1].outcome.text == page.text()


class Listening(CloseState):
    """It notes what it has shown whenever something else is asked of it than to show more."""

    def __init__(self) -> None:
        super().__init__([by_name("think")])
        self.noted: list[str] = []

    def __getattribute__(self, name: str) -> object:
        if name in {
            "end_passage",
            "end_turn",
            "begin_round",
            "retract",
            "flush_pieces",
            "pieces",
            "think",
            "answer_at",
        }:
            self.noted.append("".join(super().__getattribute__("_shown")))
        return super().__getattribute__(name)


DEEDS: dict[str, Callable[[Page], object]] = {
    "end of a passage": lambda page: page.writer.end_passage(),
    "end of a turn": lambda page: page.writer.end_turn(),
    "a round": lambda page: page.writer.begin_attempt(1),
    "another attempt": lambda page: page.writer.begin_attempt(2),
    "a retraction": lambda page: page.write(RETRACTED),
    "an event": lambda page: page.write(ANNOUNCED),
    "the end": lambda page: page.writer.close(DONE, duration_ms=1.0),
    "whole text": lambda page: page.writer.text("d"),
    "the answer": lambda page: page.writer.answer(),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_the_text_of_a_run_has_heard_all_before_it_is_asked_anything(deed):
    """Ours: what passes at sight is told to it late, and never too late."""
    page = Page()
    state = Listening()
    page.writer = Writer(run_id=RUN, runs=page.runs, state=state)
    page.writer.begin_attempt(1)
    for piece in "abc":
        page.by_road(TEXT, piece)
    state.noted.clear()
    DEEDS[deed](page)
    assert state.noted[0] == "abc"


@given(speech)
async def test_a_passage_is_what_nothing_interrupts(said):
    """Words: passages count from 1, one for each stretch of text or thinking."""
    page = Page()
    for kind, piece in said:
        page.by_road(kind, piece)
    events = await page.events()
    speeches = [event for event in events if isinstance(event, ev.TextDelta | ev.Thinking)]
    passages = [event.passage for event in speeches]
    assert passages == sorted(passages)
    assert set(passages) == set(range(1, len(set(passages)) + 1))
    for before, event in pairwise(speeches):
        apart = type(before) is not type(event) or event.index > before.index + 1
        assert (before.passage != event.passage) == apart


async def test_a_draft_that_waits_rides_with_the_first_thing_that_is_seen():
    """Design §6: an attempt that showed nothing leaves no event."""
    page = Page()
    page.write(STARTED)
    assert (page.runs.next, page.writer.shown) == (0, False)
    page.by_road(TEXT, "a")
    assert page.writer.shown
    page.write(STARTED)
    page.write(ANNOUNCED)
    page.write(STARTED)
    page.writer.withdraw()
    kinds = [event.kind for event in await page.events()]
    assert kinds == ["round_started", "text_delta", "round_started", "tool_announced", "done"]


async def test_what_happens_beside_the_speech_does_not_interrupt_it():
    """Words: progress, stages, extensions, extracted operations and losses end no passage; a result does."""
    page = Page()
    for draft in (PROGRESS, RESULT):
        page.by_road(TEXT, "a")
        page.write(draft)
    page.by_road(TEXT, "a")
    passages = [event.passage for event in await page.events() if isinstance(event, ev.TextDelta)]
    assert passages == [1, 1, 2]


async def test_passages_go_on_where_a_run_stood():
    """Ours: a run that another owner goes on with counts on."""
    page = Page(passage=7)
    page.by_road(TEXT, "a")
    assert [event.passage for event in await page.events() if isinstance(event, ev.TextDelta)] == [8]


async def test_operations_stand_where_they_were_said_and_end_no_passage():
    """Design §5: a block is taken out of the text, and told."""
    page = Page("block")
    for piece in ("a <MEM", "ORY_EXTRACT>[]</MEMORY_EXTRACT>", " b"):
        page.by_road(TEXT, piece)
    events = await page.events()
    assert [kind for kind, _ in told(events)].count("extracted") == 1
    assert {event.passage for event in events if isinstance(event, ev.TextDelta)} == {1}
    assert "MEMORY" not in "".join(text for _, text in told(events))


async def test_a_retraction_takes_the_text_back():
    """EV-10: the outcome's text is what was not retracted."""
    page = Page()
    page.by_road(TEXT, "void")
    page.write(RETRACTED)
    page.writer.begin_attempt(2)
    page.by_road(TEXT, "stands")
    closing = (await page.events())[-1]
    assert isinstance(closing, ev.Done)
    assert (closing.outcome.text, closing.outcome.duration_ms) == ("stands", 1.0)


async def test_argument_pieces_belong_to_the_call_that_is_spoken_of():
    """EV-6: pieces of two calls stand apart, and each call that gave any is known."""
    page = Page()
    for call, piece in (("a", "1"), ("b", "2"), ("b", "3"), ("a", "4")):
        page.writer.speak_of(CallId(call))
        page.by_road(ARGUMENTS, piece)
    events = [event for event in await page.events() if isinstance(event, ev.ToolArguments)]
    assert [(event.call_id, event.text) for event in events] == [("a", "1"), ("b", "2"), ("b", "3"), ("a", "4")]
    assert page.writer.streamed == {"a", "b"}
    assert [run.key for run in page.runs.runs if run.kind == ARGUMENTS] == ["a", "b", "a"]


async def test_what_redaction_still_holds_of_arguments_is_let_go_with_the_turn():
    """Design §5: one instance of the redaction a call."""
    page = Page("redact")
    page.writer.speak_of(CallId("a"))
    page.by_road(ARGUMENTS, '{"q": "sk')
    page.writer.speak_of(CallId("b"))
    page.by_road(ARGUMENTS, '{"q": "word"}')
    page.writer.end_turn()
    shown: dict[str, str] = {}
    for event in await page.events():
        if isinstance(event, ev.ToolArguments):
            shown[event.call_id] = shown.get(event.call_id, "") + event.text
    assert shown == {"a": '{"q": "sk', "b": '{"q": "word"}'}


async def test_what_redaction_held_of_a_void_attempt_is_never_shown():
    """EV-10: nothing of a call that was retracted comes after the retraction."""
    page = Page("redact")
    page.writer.speak_of(CallId("a"))
    page.by_road(ARGUMENTS, '{"q": "sk')
    page.write(RETRACTED)
    page.writer.begin_attempt(2)
    page.writer.end_turn()
    shown = [(event.kind, getattr(event, "text", "")) for event in await page.events()]
    assert shown == [("tool_arguments", '{"q": "'), ("retracted", ""), ("done", "")]


async def test_a_fact_ends_a_stretch_and_no_passage():
    """Law 5: facts are not shown, and leave no hole."""
    page = Page()
    page.by_road(TEXT, "a")
    page.write(Keep(fact=RoundOpened(round=1, attempt=1)))
    page.by_road(TEXT, "b")
    assert [run.kind for run in page.runs.runs] == [ENTRIES, TEXT, ENTRIES, TEXT]
    events = [event for event in await page.events() if isinstance(event, ev.TextDelta)]
    assert [(event.index, event.passage, event.text) for event in events] == [(0, 1, "a"), (1, 1, "b")]


@pytest.mark.parametrize("end", ["end_passage", "end_turn"])
async def test_what_a_filter_held_is_let_go_at_the_end(end):
    """Law 4: the beginning of a tag is user text when its passage is over."""
    page = Page("think")
    page.by_road(TEXT, "a <thi")
    getattr(page.writer, end)()
    page.by_road(TEXT, "nk> b")
    closing = (await page.events())[-1]
    assert isinstance(closing, ev.Done)
    assert closing.outcome.text == "a <think> b"


@pytest.mark.parametrize("end", ["an event", "end_passage", "end_turn", "the close"])
async def test_what_a_filter_lets_go_of_goes_on_with_the_stretch_at_hand(end):
    """Ours: it is of the same passage, and a stretch more is a row more in a store."""
    page = Page("citation")
    page.by_road(TEXT, "See")
    page.by_road(TEXT, " it ")
    if end == "an event":
        page.write(ANNOUNCED)
    elif end != "the close":
        getattr(page.writer, end)()
    events = await page.events()
    assert [run.items for run in page.runs.runs if run.kind == TEXT] == [["See", " it", " "]]
    assert [event.text for event in events if isinstance(event, ev.TextDelta)] == ["See", " it", " "]


async def test_text_that_came_whole_is_filtered_like_any():
    """Values: a turn without deltas is fed once when it ends."""
    page = Page("think")
    page.writer.text("a<think>b</think>c")
    assert told(await page.events())[:-1] == [("text_delta", "a"), ("thinking", "b"), ("text_delta", "c")]
    assert not page.writer.spoke


async def test_a_filter_that_failed_is_not_asked_again():
    """One close: what it held is lost, what was shown stays."""

    class Broken:
        def feed(self, text: str) -> str:
            return text

        def flush(self) -> str:
            raise ValueError("flush")

    runs = KindRuns(lambda: 0.0, bounded=False, limit=1_000)
    writer = Writer(run_id=RUN, runs=runs, state=CloseState([Broken()]))
    writer.speak(TEXT, "a")
    with pytest.raises(ValueError, match="flush"):
        writer.end_passage()
    writer.distrust()
    writer.end_passage()
    writer.end_turn()
    writer.close(DONE, duration_ms=0.0)
    assert writer.answer() == runs.last.outcome.text == "a"


async def test_speech_of_no_kind_is_refused():
    """Ours: an adapter that yields something else is told so, and nothing is written."""
    page = Page()
    with pytest.raises(TypeError, match="of kind 'text', 'thinking' or 'arguments', not 'a'"):
        page.by_road("a", "b")
    assert page.runs.next == 0


async def test_each_attempt_is_asked_anew_whether_it_spoke():
    """Values: text in pieces is what was said; without any, the turn's own text is."""
    page = Page()
    page.by_road(TEXT, "a")
    assert page.writer.spoke
    page.writer.begin_attempt(2)
    assert (page.writer.spoke, page.writer.shown) == (False, False)
