"""Text of the model to text that is shown, for one segment; what was shown, kept for memory.

In: pieces of text and thinking as the provider cut them, and where passages, turns and rounds end. Out: what may be
shown, in its order, and at any time all that was shown. The text kept does not depend on how the segment ends.
Knows no event, no wire and no machine.

A passage ends: the beginning of a tag that is held is user text and is let go; an open block or open thinking stays
open, since the turn goes on. A turn ends: what is open ends with it, an open block is dropped and reported.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from treadle.errors import StateError
from treadle.text.automaton import Automaton, StreamFilter, automaton_of, through
from treadle.text.gate import Gate, ShortRoad
from treadle.text.lines import BLANKS
from treadle.text.pieces import TEXT, THINKING, Piece, Step, settled, text_of
from treadle.text.surrogates import PairJoiner
from treadle.text.tags import TagSet


class CloseState:
    """One segment's filters, and what they let pass.

    The filters given are patterns to copy: they are never fed, so one object may serve any number of runs.
    """

    __slots__ = (
        "_answer_at",
        "_begins_stirred",
        "_compact_from",
        "_ended",
        "_flushed",
        "_gate",
        "_mark",
        "_mark_at",
        "_marked",
        "_result",
        "_round",
        "_sees_all",
        "_shown",
        "_stages",
        "_thinking_open",
        "_thoughts",
        "_told",
        "_untold",
        "feed",
        "short",
        "short_thinking",
        "text_road",
        "thinking_road",
    )

    feed: Callable[[str], str | None]
    """Take text and give what may be shown now; None while it is held. Never "". Thinking is kept, not given."""

    short: Callable[[str], str | None]
    """Take text and give it if it needs no filter. None: `let_go` tells what becomes of it."""

    short_thinking: Callable[[str], str | None]
    """Take thinking and give it if it needs no filter. None: it was not taken, call `think` with it."""

    text_road: ShortRoad
    """`short`, and how text passes without a call."""

    thinking_road: ShortRoad
    """`short_thinking`, and how thinking passes without a call."""

    def __init__(self, filters: Sequence[StreamFilter] = (), *, shown: str = "", answer_at: int | None = None) -> None:
        """Begin a segment.

        Args:
            filters: In the order they stand in.
            shown: What the run has shown before this segment.
            answer_at: Where in that the last round began, to which a retraction goes back; None where that round has
                shown nothing yet.
        """
        self._stages: list[Automaton] = [PairJoiner(), *map(automaton_of, filters)]
        self._marked, known, self._sees_all, heard = _sorted_out(self._stages[1:])
        begins = len(shown) if answer_at is None else answer_at
        before, since = shown[:begins], shown[begins:]
        self._shown: list[str] = [part for part in (before, since) if part]
        self._thoughts: list[str] = []
        self._told = len(self._shown)
        self._compact_from = (self._told, 0)
        self._mark = (1 if before else 0, 0)
        self._mark_at = self._answer_at = begins
        self._round = 0
        self._result: dict[Any, Any] = {}
        self._flushed = False
        self._ended = "turn"
        self._untold = ""
        self._thinking_open = False
        self._gate = Gate(known, self._shown)
        self.feed = self._gate.road(self._look_and_let_go)
        self.short = self._gate.road(self._gate.look)
        add = self._thoughts.append
        self.short_thinking = _not_taken if heard else self._gate.beside(add)
        self.text_road = ShortRoad(self._gate.sight, self._shown.append, self.short)
        self.thinking_road = ShortRoad(None if heard else self._gate.sight_beside, add, self.short_thinking)
        self._settle_gate()
        self._begins_stirred = self._gate.stirred()

    def part(self) -> None:
        """Let go of the functions that hold this state in turn. It is fed no more."""
        del self.feed, self.short, self.short_thinking, self.text_road, self.thinking_road

    @property
    def clean_text(self) -> str:
        """All that was shown, un-retracted, joined."""
        return "".join(self._shown)

    @property
    def answer_at(self) -> int:
        """Where in the clean text the round at hand begins: what follows is its answer."""
        return self._answer_at

    @property
    def thinking(self) -> str:
        """All thinking of this segment, un-retracted, joined."""
        return "".join(self._thoughts)

    @property
    def last_result(self) -> dict[Any, Any]:
        """A copy of the last result that was observed; empty if there was none."""
        return copy.deepcopy(self._result)

    @property
    def looked_at_chars(self) -> int:
        """How many characters were looked at beyond the quick look: the cost, for tests to read."""
        return self._gate.looked_at() + sum(stage.looked_at_chars for stage in self._stages)

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Take text and give all that may be shown now: text, thinking and extractions, in their order.

        Raises:
            StateError: The segment was flushed.
        """
        shown = self.short(text)
        return self.let_go() if shown is None else (("text", shown),)

    def let_go(self) -> tuple[Piece, ...]:
        """Give what the filters make of text that `short` could not pass.

        Raises:
            StateError: The segment was flushed.
        """
        if not self._gate.stirred() or not self._gate.held():
            return ()
        if self._flushed:
            self._gate.set(stirred=True)
            self._check_open("text")
        steps = self._taken_from_gate()
        self._thinking_open = False
        return self._record(self._through_all(steps))

    def think(self, text: str) -> tuple[Piece, ...]:
        """Take a piece of the provider's own thinking. It ends a passage of text, so text may be let go before it.

        Raises:
            StateError: The segment was flushed.
        """
        self._check_open("thinking")
        if not text:
            return ()
        steps = self._taken_from_gate()
        if not self._thinking_goes_on():
            self._compact()
        self._thinking_open = True
        return self._record(self._through_all([*steps, (THINKING, text)]))

    def end_passage(self) -> tuple[Piece, ...]:
        """Let go of what is held: what comes next is no continuation of it."""
        if self._ended and self._nothing_came():
            return ()
        let_go = self._end("passage")
        self._compact()
        return let_go

    def end_turn(self) -> tuple[Piece, ...]:
        """Let go of what is held and end what is open: the model has said all it had to say."""
        if self._ended == "turn" and self._nothing_came():
            return ()
        return self._end("turn")

    def begin_round(self, round_number: int | None = None) -> tuple[Piece, ...]:
        """End the turn before, if it is not ended, and remember this place for `retract`.

        Raises:
            StateError: The segment was flushed.
        """
        if self._flushed:
            self._check_open("round")
        let_go = () if self._ended == "turn" and self._nothing_came() else self._end("turn")
        if self._compact_from != (len(self._shown), len(self._thoughts)):
            self._compact()
        for stage in self._marked:
            stage.mark()
        self._round = self._round + 1 if round_number is None else round_number
        if len(self._shown) > self._mark[0]:
            self._mark_at += sum(map(len, self._shown[self._mark[0] :]))
        self._answer_at = self._mark_at
        # Where it is compact, it was made so to here.
        self._mark = self._compact_from
        return let_go

    def retract(self, round_number: int | None = None) -> None:
        """Take back all that came since the round began. What was held is gone too.

        Raises:
            StateError: The segment was flushed, or another round is at hand.
        """
        self._check_open("retraction")
        if round_number not in (None, self._round):
            raise StateError(f"round {self._round!r} is at hand, not {round_number!r}", input=round_number)
        shown, thoughts = self._mark
        del self._shown[shown:]
        del self._thoughts[thoughts:]
        self._untold = ""
        for stage in self._stages:
            stage.go_back()
        self._compact_from = self._mark
        self._thinking_open = False
        self._settle_gate()

    def flush(self) -> tuple[str, ...]:
        """End the segment and give the text that was still held. Again, it gives nothing."""
        return tuple(cast("str", value) for kind, value in self.flush_pieces() if kind == TEXT)

    def flush_pieces(self) -> tuple[Piece, ...]:
        """End the segment and give all that was still held. Again, it gives nothing."""
        if self._flushed:
            return ()
        let_go = self.end_turn()
        self._flushed = True
        self._gate.set(stirred=True)
        return let_go

    def fall_back(self, fallback: str) -> tuple[Piece, ...]:
        """End the turn; if nothing but white space was shown by then, show the fallback, filtered like all text.

        Raises:
            StateError: The segment was flushed.
        """
        self._check_open("fallback")
        let_go = self.end_turn()
        if self.clean_text.strip():
            return let_go
        self._untold = ""
        return settled([*let_go, *self._record(_whole(self._stages, fallback))])

    def memory_response(self, fallback: str) -> str:
        """Give what memory keeps of this run: what was shown or, if that is but white space, the filtered fallback."""
        clean = self.clean_text
        if clean.strip():
            return clean
        return text_of(_whole([stage.fresh() for stage in self._stages], fallback)) or clean

    def observe_result(self, payload: object) -> None:
        """Keep a copy of the mapping under `output`. The last one counts; anything else, or uncopyable, is ignored."""
        output = payload.get("output") if isinstance(payload, Mapping) else None
        if isinstance(output, Mapping):
            try:
                self._result = copy.deepcopy(dict(output))
            except (TypeError, copy.Error, RecursionError):
                return

    def _look_and_let_go(self, text: str) -> str | None:
        shown = self._gate.look(text)
        return (text_of(self.let_go()) or None) if shown is None else shown

    def _thinking_goes_on(self) -> bool:
        """Tell whether no text came since the last thinking: what took the short road lengthened what was shown."""
        return self._thinking_open and len(self._shown) == self._told

    def _end(self, what: str) -> tuple[Piece, ...]:
        if self._flushed:
            return ()
        if self._gate.calm():
            self._end_at_rest(what)
            return ()
        steps = self._taken_from_gate()
        for stage in self._stages:
            if steps:
                steps = through(stage, steps)
            if what == "turn":
                stage.end_turn(steps)
            else:
                stage.end_passage(steps)
        self._thinking_open = False
        let_go = self._record(steps)
        self._ended = what
        return let_go

    def _end_at_rest(self, what: str) -> None:
        """End it where no filter has anything to let go. They are told before they see anything again."""
        if self._untold != "turn":
            self._untold = what
        self._told = len(self._shown)
        stirred = what == "turn" and self._begins_stirred
        if stirred or self._thinking_open:
            self._gate.set(stirred=stirred)
            self._thinking_open = False
        self._ended = what

    def _taken_from_gate(self) -> list[Step]:
        """Tell the filters what passed them by, and hand them what the gate holds."""
        if self._untold:
            self._tell_end()
        if len(self._shown) > self._told:
            passed = _end_of(self._shown, self._told)
            for stage in self._stages:
                stage.kind = TEXT
                stage.passed(passed)
        return [(TEXT, held)] if (held := self._gate.held()) else []

    def _tell_end(self) -> None:
        """Tell the filters of the end that they were at rest in: each stands where a line begins, or a turn."""
        for stage in self._stages:
            if self._untold == "turn":
                stage.restart()
            else:
                stage.end_passage([])
        self._untold = ""

    def _through_all(self, steps: list[Step]) -> list[Step]:
        for stage in self._stages:
            steps = through(stage, steps)
        return steps

    def _nothing_came(self) -> bool:
        """Whether nothing was taken since it was last ended: then there is nothing to end in the same way again."""
        return len(self._shown) == self._told and not self._gate.held()

    def _record(self, steps: Sequence[Step]) -> tuple[Piece, ...]:
        self._ended = ""
        pieces = settled(steps) if steps else ()
        for kind, value in pieces:
            if kind == TEXT:
                self._shown.append(cast("str", value))
            elif kind == THINKING:
                self._thoughts.append(cast("str", value))
        self._settle_gate()
        return pieces

    def _settle_gate(self) -> None:
        self._told = len(self._shown)
        stirred = self._sees_all
        for stage in self._stages:
            stirred = stirred or stage.busy
        self._gate.set(stirred=stirred, thinking=self._thinking_open)

    def _compact(self) -> None:
        """Keep one text for each passage, not one for each delta."""
        shown, thoughts = self._shown, self._thoughts
        from_shown, from_thoughts = self._compact_from
        if len(shown) > from_shown + 1:
            shown[from_shown:] = ["".join(shown[from_shown:])]
        if len(thoughts) > from_thoughts + 1:
            thoughts[from_thoughts:] = ["".join(thoughts[from_thoughts:])]
        self._told = len(shown)
        self._compact_from = (self._told, len(thoughts))

    def _check_open(self, what: str) -> None:
        if self._flushed:
            raise StateError(f"{what} came after the close state was flushed", state="flushed", input=what)


def _sorted_out(stages: Sequence[Automaton]) -> tuple[list[Automaton], list[TagSet], bool, bool]:
    """Those that mark a round, the tags that are acted on, whether one sees all, and whether one hears thinking."""
    marked: list[Automaton] = []
    known: list[TagSet] = []
    sees_all = heard = False
    for stage in stages:
        if type(stage).mark is not Automaton.mark:
            marked.append(stage)
        heard = heard or stage.hears_thinking
        if (tags := stage.acts_on) is None:
            sees_all = True
        else:
            known.append(tags)
    return marked, known, sees_all, heard


def _not_taken(_: str) -> None:
    return None


def _end_of(texts: Sequence[str], start: int) -> str:
    """Join the last texts that say what stands on the line: all behind one that is more than blanks, and that one."""
    at = len(texts) - 1
    while at > start and not texts[at].strip(BLANKS):
        at -= 1
    return "".join(texts[at:])


def _whole(stages: Sequence[Automaton], text: str) -> list[Step]:
    """Send a text that is no turn of the model's through filters, from beginning to end."""
    steps: list[Step] = [(TEXT, text)]
    for stage in stages:
        stage.rest()
        steps = through(stage, steps)
        stage.end_turn(steps)
    return steps
