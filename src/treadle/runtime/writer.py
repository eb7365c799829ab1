"""The one writer of a run: drafts and pieces become numbered events in its log.

It filters speech, numbers passages and events, holds a draft that waits for the first visible thing, and fills the
outcome of the closing event. It does not know what a run does next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from treadle.kernel.effects import Close, Effect, Emit, Keep
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.redaction import Redaction
from treadle.text.close_state import CloseState
from treadle.text.gate import Look, ShortRoad, Sight, nothing_in_view
from treadle.text.pieces import EXTRACTED, Piece
from treadle.values.events import Dropped, Extension, Extracted, KernelEvent, Retracted, Stage, ToolProgress
from treadle.values.ids import CallId, RunId
from treadle.values.mappings import Json
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.outcome import InvocationOutcome

# What happens beside the model's speech does not interrupt a passage; what takes speech back needs no end of it.
_ENDS_NO_PASSAGE: Final = frozenset({ToolProgress, Stage, Extension, Extracted, Dropped, Retracted})


Road = tuple[str, Sight | None, Look | None, Callable[[str], None]]
"""How speech of the kind at hand goes on: its kind, how its pieces pass, and where to append what may be shown of them.
They pass at sight, or by a look. A look that gives nothing has kept nothing of thinking and of arguments, and has kept
all of text. Where there is none, what does not pass at sight is for `speak`."""


def _nothing(_: str) -> None:
    return None


_CLOSED: Final[Road] = ("", None, None, _nothing)


_Way = tuple[Sight | None, Look | None, Callable[[str], None] | None]
"""How pieces of one kind pass, and who is to learn of what has passed at sight."""

# Argument text is kept nowhere but in the log.
_ARGUMENTS: Final[_Way] = (nothing_in_view, None, None)
_REDACTED: Final[_Way] = (None, None, None)


def _way(road: ShortRoad) -> _Way:
    return (None, road.short, None) if road.sight is None else (road.sight, None, road.take)


class Writer:
    """Writes one segment of a run.

    Speech of one kind goes on by the `road`, piece for piece; readers are to be woken after it. What passes at sight is
    appended and no more: the text of the run learns of it, as one text, before anything else is done with it. Whatever
    does not go on is for `speak`; what a look gave nothing for, is for `let_go`. Any other call may change the road.
    """

    __slots__ = (
        "_call",
        "_held",
        "_mark",
        "_passage",
        "_redaction",
        "_run_id",
        "_runs",
        "_speaks",
        "_state",
        "_take",
        "_trusted",
        "_unended",
        "_ways",
        "road",
        "spoke",
        "streamed",
    )

    def __init__(
        self,
        *,
        run_id: RunId,
        runs: KindRuns,
        state: CloseState,
        redaction: Redaction | None = None,
        passage: int = 0,
        has_shown: bool = False,
    ) -> None:
        """Write on where `runs` stands.

        Args:
            passage: The number of the last passage before.
            has_shown: The attempt at hand has left an event already, which another owner wrote.
        """
        self._run_id = run_id
        self._runs = runs
        self._state = state
        self._redaction = redaction
        self._held: Emit | None = None
        self._mark = runs.next - has_shown
        self._passage = passage
        self._trusted = True
        self._unended = False
        self._speaks: str | None = None
        self._call = CallId("")
        self._take: Callable[[str], None] | None = None
        """Who is to learn of what has passed at sight in the stretch at hand."""
        self.spoke = False
        """Whether text came in pieces since the attempt was begun."""
        self.streamed: set[CallId] = set()
        self.road: Road = _CLOSED
        # Argument text passes as it is, unless a filter redacts it. An empty piece is no piece.
        arguments = _ARGUMENTS if redaction is None else _REDACTED
        self._ways = {TEXT: _way(state.text_road), THINKING: _way(state.thinking_road), ARGUMENTS: arguments}

    @property
    def shown(self) -> bool:
        """Whether this attempt has left an event."""
        return self._runs.next > self._mark

    @property
    def runs(self) -> KindRuns:
        """The log it writes."""
        return self._runs

    def begin_attempt(self, attempt: int) -> None:
        """The model is about to be asked; a later attempt begins where the round began."""
        if self.road is not _CLOSED:
            self._leave()
        if attempt > 1:
            self._state.retract()
            if self._redaction is not None:
                self._redaction.forget()
        elif let_go := self._state.begin_round():
            self._show(let_go)
        self.spoke = False
        self._mark = self._runs.next

    def speak_of(self, call_id: CallId) -> None:
        """Argument pieces that follow belong to this call."""
        if call_id != self._call:
            if self.road is not _CLOSED:
                self._leave()
            self._call, self._speaks = call_id, None

    def write(  # noqa: C901, PLR0912 (nearly all that a round writes passes here: calls are too dear)
        self, effects: Iterable[Effect], carry: Callable[[Any], None]
    ) -> None:
        """Seal the drafts among these and remember the facts, each in its place; all others are carried out by `carry`.

        A draft may be one that is held until the next event.
        """
        runs, run_id = self._runs, self._run_id
        is_plain = self._redaction is None
        for effect in effects:
            if type(effect) is Keep:
                if self.road is not _CLOSED:
                    self._leave()
                runs.keep(effect.fact)
            elif type(effect) is not Emit:
                carry(effect)
            elif effect.held:
                if self.road is not _CLOSED:
                    self._leave()
                self._held, self._speaks = effect, None
            else:
                event = effect.event
                if event not in _ENDS_NO_PASSAGE:
                    if self._unended:
                        # Before the stretch at hand is left: what a filter lets go of goes on with it.
                        self.end_passage()
                    self._speaks = None
                if self.road is not _CLOSED:
                    self._leave()
                if event is Retracted:
                    self._state.retract()
                    self._speaks = None
                if is_plain and self._held is None:
                    runs.add(event, run_id, effect.fields)
                else:
                    self._seal(event, effect.fields)

    def withdraw(self) -> None:
        """Forget the held draft."""
        self._held = None

    def end_passage(self) -> None:
        """Let go what a filter held of the passage; the next piece begins another."""
        self._catch_up()
        if self._unended and self._trusted:
            if let_go := self._state.end_passage():
                self._show(let_go)
            self._unended = False
        if self.road is not _CLOSED:
            self._leave()
        self._speaks = None

    def end_turn(self) -> None:
        """Let go what a filter held of the turn, and drop what it left open."""
        self._catch_up()
        if self._redaction is not None:
            for call_id, rest in self._redaction.rest():
                self.speak_of(call_id)
                self._say(ARGUMENTS, rest)
        if self._trusted and (let_go := self._state.end_turn()):
            self._show(let_go)
        self._unended = False
        if self.road is not _CLOSED:
            self._leave()
        self._speaks = None

    def distrust(self) -> None:
        """A filter failed: it is not asked again, and what it held is lost."""
        self._trusted = False

    def answer(self) -> str:
        """What was shown of the round at hand, past the filters."""
        self._catch_up()
        return self._state.clean_text[self._state.answer_at :]

    def close(self, draft: Close, *, duration_ms: float, read: Callable[[str], Json] | None = None) -> None:
        """The closing event, after the tail of the text. Nothing follows it.

        Args:
            draft: What the machine says of it.
            duration_ms: How long the run was at work.
            read: Gives the output of the answer; None where there is none.
        """
        self._catch_up()
        if self._trusted:
            self._show(self._state.flush_pieces())
        outcome = InvocationOutcome(
            text=self._state.clean_text,
            answer_at=self._state.answer_at,
            output=None if read is None else read(self.answer()),
            duration_ms=duration_ms,
            **draft.outcome,
        )
        self._held = None
        self._seal(draft.event, {**draft.fields, "outcome": outcome})
        self._runs.close()

    def part(self) -> None:
        """Nothing more is written: let go of the roads, which hold the text they belong to."""
        self._leave()
        self._ways = {}
        self._state.part()

    def speak(self, kind: str, piece: str) -> None:
        """Take a piece of speech.

        Raises:
            TypeError: It is of no kind that there is.
        """
        self._unended = True
        if self._take is not None:
            self._catch_up()
        if kind == TEXT:
            self.spoke = True
            if shown := self._state.short(piece):
                self._say(TEXT, shown)
            else:
                self._show(self._state.let_go())
        elif kind == THINKING:
            if shown := self._state.short_thinking(piece):
                self._say(THINKING, shown)
            else:
                self._show(self._state.think(piece))
        elif kind != ARGUMENTS:
            raise TypeError(f"a piece is of kind {TEXT!r}, {THINKING!r} or {ARGUMENTS!r}, not {kind!r}")
        elif shown := piece if self._redaction is None else self._redaction.arguments(self._call, piece):
            self._say(ARGUMENTS, shown)

    def let_go(self, kind: str, piece: str) -> None:
        """Take a piece that a look gave nothing for."""
        if kind == TEXT:
            self._show(self._state.let_go())
        else:
            self.speak(kind, piece)

    def text(self, whole: str) -> None:
        """Take text that did not come in pieces."""
        self._unended = True
        self._catch_up()
        self._show(self._state.pieces(whole))

    def _seal(self, event: type[KernelEvent], fields: Mapping[str, Any]) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            self._seal(held.event, held.fields)
        if self._redaction is not None:
            fields = self._redaction.fields(event, fields)
        if self.road is not _CLOSED:
            self._leave()
        self._runs.add(event, self._run_id, fields)

    def _show(self, pieces: Iterable[Piece]) -> None:
        """Put what came out of the filters where it belongs."""
        for kind, value in pieces:
            if kind == EXTRACTED:
                found: Any = value
                fields = {"tag": found.tag, "operations": found.operations, "diagnostic": found.diagnostic}
                self._seal(Extracted, fields)
            else:
                self._say(kind, str(value))

    def _say(self, kind: str, text: str) -> None:
        road = self.road if self.road[0] == kind else self._begin(kind)
        road[3](text)
        if self._take is not None:
            # It comes from who would learn of it.
            self._runs.hear(text)

    def _catch_up(self) -> None:
        """Let the text of the run learn of what has passed it at sight."""
        if self._take is not None and (said := self._runs.unheard()):
            self._take(said)

    def _leave(self) -> None:
        """What comes next belongs to no stretch of speech that there is. Asked for only where there may be one."""
        if self._take is not None:
            self._catch_up()
            self._take = None
        self.road = _CLOSED

    def _begin(self, kind: str) -> Road:
        """Another kind of speech, or the same after something else: begin its stretch. All was caught up with."""
        if self._held is not None:
            held, self._held = self._held, None
            self._seal(held.event, held.fields)
        sight, look, take = self._ways[kind]
        if kind == ARGUMENTS:
            self.streamed.add(self._call)
            items = self._runs.begin(ARGUMENTS, self._call)
        else:
            if self._speaks != kind:
                self._passage += 1
            items = self._runs.begin(kind, self._passage, is_asked=take is not None)
        self._speaks, self._take = kind, take
        self.road = road = (kind, sight, look, items.append)
        return road
