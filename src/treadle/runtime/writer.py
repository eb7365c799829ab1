"""The one writer of a run: drafts and pieces become numbered events in its log.

It filters speech, numbers passages and events, holds a draft that waits for the first visible thing, and fills the
outcome of the closing event. It does not know what a run does next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from treadle.kernel.effects import Close, Emit
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.redaction import Redaction
from treadle.text.close_state import CloseState
from treadle.text.pieces import EXTRACTED, Piece
from treadle.values.events import Dropped, Extension, Extracted, KernelEvent, Retracted, Stage, ToolProgress
from treadle.values.facts import Fact
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.outcome import InvocationOutcome

# What happens beside the model's speech does not interrupt a passage.
_BESIDE: Final = frozenset({ToolProgress, Stage, Extension, Extracted, Dropped})


class Writer:
    """Writes one segment of a run.

    `thinking` and `arguments` take one piece each. Text has a shorter road: `short` gives what of a piece may be
    shown at once, and the caller appends it to the stretch that `begin` gave; where it gives None `let_go` writes what
    became of it. Readers are to be woken after either.
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
        "_trusted",
        "arguments",
        "short",
        "streamed",
        "thinking",
    )

    def __init__(self, *, run_id: RunId, runs: KindRuns, state: CloseState, redaction: Redaction | None = None) -> None:
        self._run_id = run_id
        self._runs = runs
        self._state = state
        self._redaction = redaction
        self._held: Emit | None = None
        self._mark = runs.next
        self._passage = 0
        self._trusted = True
        self._speaks: str | None = None
        self._call = CallId("")
        self.streamed: set[CallId] = set()
        self.short = state.short
        self.thinking = self._thinking_road()
        self.arguments = self._arguments_road()

    @property
    def shown(self) -> bool:
        """Whether this attempt has left an event."""
        return self._runs.next > self._mark

    @property
    def state(self) -> CloseState:
        """The text of the run so far."""
        return self._state

    def begin_attempt(self, attempt: int) -> None:
        """The model is about to be asked; a later attempt begins where the round began."""
        if attempt > 1:
            self._state.retract()
        else:
            self._show(self._state.begin_round())
        self._mark = self._runs.next

    def speak_of(self, call_id: CallId) -> None:
        """Argument pieces that follow belong to this call."""
        if call_id != self._call:
            self._call = call_id
            self._interrupt()

    def emit(self, draft: Emit) -> None:
        """Seal a draft, or hold it until the next event."""
        if draft.held:
            self._held = draft
            self._interrupt()
            return
        if draft.event is Retracted:
            self._state.retract()
            self._interrupt()
        elif draft.event not in _BESIDE:
            self.end_passage()
        self._seal(draft.event, draft.fields)

    def withdraw(self) -> None:
        """Forget the held draft."""
        self._held = None

    def keep(self, fact: Fact) -> None:
        """Remember a fact."""
        self._runs.keep(fact)

    def end_passage(self) -> None:
        """Let go what a filter held of the passage; the next piece begins another."""
        if self._trusted:
            self._show(self._state.end_passage())
        self._interrupt()

    def end_turn(self) -> None:
        """Let go what a filter held of the turn, and drop what it left open."""
        if self._redaction is not None:
            for call_id, rest in self._redaction.rest():
                self.speak_of(call_id)
                self._say(ARGUMENTS, rest)
        if self._trusted:
            self._show(self._state.end_turn())
        self._interrupt()

    def distrust(self) -> None:
        """A filter failed: it is not asked again, and what it held is lost."""
        self._trusted = False

    def close(self, draft: Close, *, duration_ms: float) -> None:
        """The closing event, after the tail of the text. Nothing follows it."""
        if self._trusted:
            self._show(self._state.flush_pieces())
        outcome = InvocationOutcome(
            text=self._state.clean_text, answer_at=self._state.answer_at, duration_ms=duration_ms, **draft.outcome
        )
        self._held = None
        self._seal(draft.event, {**draft.fields, "outcome": outcome})
        self._runs.close()

    def _interrupt(self) -> None:
        self._speaks = None
        self._runs.kind = None

    def _seal(self, event: type[KernelEvent], fields: Mapping[str, Any]) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            self._seal(held.event, held.fields)
        if self._redaction is not None:
            fields = self._redaction.fields(event, fields)
        self._runs.add(event(index=self._runs.next, run_id=self._run_id, **fields))

    def _show(self, pieces: Iterable[Piece]) -> None:
        """Put what came out of the filters where it belongs."""
        for piece in pieces:
            if piece[0] == EXTRACTED:
                found = piece[1]
                fields = {"tag": found.tag, "operations": found.operations, "diagnostic": found.diagnostic}
                self._seal(Extracted, fields)
            elif piece[0] == TEXT:
                self._say(TEXT, piece[1])
            else:
                self._say(THINKING, piece[1])

    def _say(self, kind: str, text: str) -> None:
        (self._runs.runs[-1].items if self._runs.kind is kind else self.begin(kind)).append(text)

    def begin(self, kind: str) -> list[str]:
        """Another kind of speech, or the same after something else: begin its stretch, and give the list of it."""
        if self._held is not None:
            held, self._held = self._held, None
            self._seal(held.event, held.fields)
        if kind is ARGUMENTS:
            self.streamed.add(self._call)
        elif self._speaks != kind:
            self._passage += 1
        self._speaks = kind
        return self._runs.begin(kind, self._call if kind is ARGUMENTS else self._passage)

    def let_go(self) -> None:
        """Write what the filters made of a piece that `short` did not pass."""
        self._show(self._state.let_go())

    def text(self, whole: str) -> None:
        """Take text that did not come in pieces."""
        self._show(self._state.pieces(whole))

    def _arguments_road(self) -> Callable[[str], None]:
        runs, begin, redaction = self._runs, self.begin, self._redaction

        def arguments(piece: str) -> None:
            # The stretch of a call's pieces goes on as long as nothing else is written.
            if piece:
                (runs.runs[-1].items if runs.kind is ARGUMENTS else begin(ARGUMENTS)).append(piece)

        if redaction is None:
            return arguments
        redact = redaction.arguments
        return lambda piece: arguments(redact(self._call, piece))

    def _thinking_road(self) -> Callable[[str], None]:
        short, runs, begin, show, state = self._state.short_thinking, self._runs, self.begin, self._show, self._state

        def thinking(piece: str) -> None:
            shown = short(piece)
            if shown:
                (runs.runs[-1].items if runs.kind is THINKING else begin(THINKING)).append(shown)
            elif shown is None:
                show(state.think(piece))

        return thinking
