"""Whole logs of runs that could have happened: what projections and foreign clients are tried on.

A log is made by the real machine and the real writer, which are told a random life: it is legal by construction. The
driver does what the loop does with an effect, without a task or a clock. A life that rests, or that loses its worker,
is gone on with as a worker does it: rebuilt from what was written.

    legal_log(7)                       the stretches of one run, the same for the same seed
    legal_run(7, Mix(paused=1.0))      with its wish: a run that rests at a pause
    legal_runs                         a Hypothesis strategy of them

`recut` in `log_cuts` gives the same log in other stretches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from tests.projections.legal_draws import SPECS, Draws, text_of
from tests.projections.legal_speech import Speech
from treadle.kernel.effects import AskModel, Close, Effect, Emit, Withdraw
from treadle.kernel.inputs import (
    Answered,
    CancelRequested,
    DeadlinePassed,
    Input,
    ModelAnnounced,
    ModelBroke,
    ModelTurned,
    PartBroke,
    PauseAsk,
    PauseExpired,
    Recalled,
    Started,
    TookOver,
    ToolPaused,
    ToolProgressed,
    ToolReturned,
)
from treadle.kernel.transitions import Phase
from treadle.ports.toolbox import InterruptAsk
from treadle.runtime.answer_check import resolution_of
from treadle.runtime.asking import ask_of, interrupt_of
from treadle.runtime.attach import made_filters
from treadle.runtime.kind_runs import ENTRIES, KindRuns
from treadle.runtime.rebuilding import rebuilt_from
from treadle.runtime.writer import Writer
from treadle.testing.fake_clock import FakeClock
from treadle.text.close_state import CloseState
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.facts import DecisionKept
from treadle.values.ids import RunId, ThreadId
from treadle.values.limits import Limit, Limits, Retries, RunRules
from treadle.values.model import ARGUMENTS, ModelTurn, StopReason
from treadle.values.requests import TurnRequest
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch, entries_of, events_of

RUN: Final = RunId("r1")
THREAD: Final = ThreadId("t1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """How often something is wished for in a life. The four ends are weights; the rest are shares of all lives.

    Shape: `waiting` is a run that rests at a pause; `paused` asks for pauses on the way.
    """

    done: float = 3.0
    error: float = 2.5
    cancelled: float = 3.5
    waiting: float = 1.5
    paused: float = 0.45
    retracted: float = 0.5
    parallel: float = 0.5
    recalls: float = 0.15
    thinking: float = 0.6
    filtered: float = 0.4
    beside: float = 0.5
    """Progress, stages, extensions and losses beside what the model says."""
    rounds: int = 4
    """Rounds of the longest life, those that are taken back apart."""


USUAL: Final = Mix()


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalRun:
    """A run and how it was wished to be."""

    seed: int
    request: TurnRequest
    stretches: tuple[Stretch, ...]

    @property
    def run_id(self) -> RunId:
        """Whose log it is."""
        return self.request.run_id

    @property
    def events(self) -> list[ev.KernelEvent]:
        """All its events in order."""
        return [event for stretch in self.stretches for event in events_of(stretch, self.run_id)]

    @property
    def end(self) -> ev.KernelEvent:
        """The event that it rests at."""
        return self.events[-1]


def legal_log(seed: int, mix: Mix = USUAL, *, run_id: RunId = RUN) -> list[Stretch]:
    """The log of one life."""
    return list(legal_run(seed, mix, run_id=run_id).stretches)


def legal_run(seed: int, mix: Mix = USUAL, *, run_id: RunId = RUN) -> LegalRun:
    """One life: the same for the same seed and mix."""
    life = _Life(Random(seed), mix, run_id)
    life.live()
    return LegalRun(seed=seed, request=life.request, stretches=tuple(life.stretches))


legal_runs: Final = st.integers(0, 2**32).map(legal_run)
"""Lives by their seed."""


class _Life:
    """Tells a machine what happens, and writes down what comes of it."""

    def __init__(self, dice: Random, mix: Mix, run_id: RunId) -> None:
        self.dice, self.mix = dice, mix
        self.draws = Draws(dice)
        self.clock = FakeClock()
        self.request = TurnRequest(prompt=dice.choice(["1+2?", "héllo\n\u2028"]), run_id=run_id, root_run_id=run_id)
        self.request = replace(self.request, thread_id=THREAD)
        self.wish = dice.choices(["done", "error", "cancelled", "waiting"], _ends(mix))[0]
        self.pauses = dice.random() < mix.paused or self.wish == "waiting"
        self.retractions = dice.choice([1, 1, 2]) if dice.random() < mix.retracted else 0
        self.parallel = dice.random() < mix.parallel
        self.speech = Speech(dice, thinks=dice.random() < mix.thinking, filtered=dice.random() < mix.filtered)
        self.rounds_left = dice.randint(1 if self.pauses or self.parallel else 0, mix.rounds - 1)
        self.stretches: list[Stretch] = []
        self.epoch = 0
        self.takes_over = self.found_waiting = False
        limits = Limits(tool_calls=dice.choice([64] * 8 + [2]), tokens=dice.choice([None] * 8 + [500]))
        self.rules = RunRules(
            agent="calc",
            model="m-1",
            limits=limits,
            retries=Retries(attempts=4, after_output=True),
            recalls=dice.random() < mix.recalls,
        )

    # The worker: segments, and owners that are lost.

    def live(self) -> None:
        """From the request to rest."""
        self._own()
        self._tell(Started(request=self.request, rules=self.rules))
        while self._to_rest():
            self._seal()
            self._own()
        self._seal()

    def _own(self) -> None:
        """What a worker has that claims the run: everything by what was written."""
        entries = list(entries_of(self.stretches, self.request.run_id))
        next_index = sum(stretch.events for stretch in self.stretches)
        rebuilt = rebuilt_from(entries, next_index=next_index)
        filters = made_filters(["think", "block"] if self.speech.filtered else [])
        self.epoch += 1
        self.machine = rebuilt.machine
        self.runs = KindRuns(self._now_s, bounded=False, limit=2**31, first=next_index)
        self.writer = Writer(
            run_id=self.request.run_id,
            runs=self.runs,
            state=CloseState(filters, shown=rebuilt.shown, answer_at=rebuilt.begins),
            passage=rebuilt.passage,
            has_shown=rebuilt.is_under_way,
        )
        self.found_waiting = self.machine.phase is Phase.WAITING
        if self.takes_over:
            self.takes_over = False
            self._tell(TookOver(shown=rebuilt.is_under_way, idempotent=frozenset({"ping"})))

    def _now_s(self) -> float:
        self.clock.advance(self.dice.choice([0.0, 0.001, 0.25]))
        return self.clock.now_s()

    def _seal(self) -> None:
        """What this owner has written, as stretches."""
        seq = sum(stretch.records for stretch in self.stretches)
        index = sum(stretch.events for stretch in self.stretches)
        for run in self.runs.runs:
            if not run.items:
                continue
            of = {"seq": seq, "index": index, "at_s": run.at_s, "epoch": self.epoch}
            items = tuple(run.items)
            made: Stretch = (
                EntryStretch(entries=items, **of)
                if run.kind is ENTRIES
                else SpeechStretch(kind=run.kind, key=run.key, texts=items, **of)
            )
            self.stretches.append(made)
            seq, index = seq + made.records, index + made.events

    def _to_rest(self) -> bool:
        """Go on until this owner can do no more; whether another one has something to do."""
        acts: dict[Phase, Callable[[], None]] = {
            Phase.RECALLING: self._recall,
            Phase.ASKING: self._ask,
            Phase.CALLING: self._call,
            Phase.STOPPING: self._stop,
        }
        begun_waiting = self.found_waiting
        while True:
            if self.machine.phase is Phase.FINAL:
                return False
            if self.machine.phase is not Phase.WAITING:
                acts[self.machine.phase]()
            elif begun_waiting:
                begun_waiting = False
                self._hear()
                if self.machine.phase is Phase.WAITING:
                    return True
            else:
                return self.wish != "waiting" or self.rounds_left > 0
            if self.takes_over:
                return True

    # The loop: one input told, its effects carried out.

    def _tell(self, given: Input) -> None:
        self.writer.write(self.machine.receive(given), self._carry)

    def _carry(self, effect: Effect) -> None:
        match effect:
            case Close():
                self.writer.close(effect, duration_ms=self.clock.monotonic_s() * 1000.0)
            case Withdraw():
                self.writer.withdraw()
            case AskModel():
                self.writer.begin_attempt(effect.attempt)
            case _:
                pass

    def _may(self, share: float) -> bool:
        return self.dice.random() < share

    def _recall(self) -> None:
        if self.rounds_left == 0 and self.wish in ("error", "cancelled") and self._may(0.3):
            self._tell(CancelRequested() if self.wish == "cancelled" else PartBroke(reference="ref"))
        else:
            self._tell(Recalled(blocks=("b",), problem=self.dice.choice([None, "memory is away"])))

    def _ask(self) -> None:
        """One attempt at a round."""
        is_last = self.rounds_left == 0
        breaks = self.retractions > 0 and self._may(0.7)
        ends_early = not breaks and is_last and self.wish in ("error", "cancelled") and self._may(0.7)
        calls = [] if is_last and not (breaks or ends_early) else self._requests()
        self._speak(calls, must_show=breaks, until=self.dice.random() if breaks or ends_early else 1.0)
        if breaks:
            self.retractions -= 1
            self._break()
        elif ends_early:
            self._end_asking()
        else:
            self._turn(calls)

    def _break(self) -> None:
        """The attempt is lost: by the model, or with its worker."""
        if self._may(0.5):
            self.takes_over = True
            return
        broke = ModelBroke(code="upstream_error", retryable=True, shown=self.writer.shown, usage=self.draws.usage())
        if not self.machine.retries(broke):
            self.writer.end_turn()
        self._tell(broke)

    def _end_asking(self) -> None:
        self.writer.end_turn()
        of: dict[str, Any] = {"shown": self.writer.shown, "usage": self.draws.usage()}
        if self.wish == "cancelled":
            self._tell(CancelRequested(reason=self.dice.choice([None, "stop button"]), **of))
            return
        self._tell(
            self.dice.choice(
                [
                    ModelBroke(code="upstream_truncated", detail="dsn=postgres://u:p@h", reference="r.e1", **of),
                    DeadlinePassed(limit=self.dice.choice([Limit.WALL_CLOCK, Limit.OUTPUT_BYTES]), **of),
                    PartBroke(reference="r.e2", detail="KeyError: secret", **of),
                ]
            )
        )

    def _speak(self, calls: Sequence[ToolRequest], *, must_show: bool, until: float) -> None:
        """What the model says, in pieces, up to a share of it."""
        items = self.speech.items([(call.name, text_of(call)) for call in calls], must_show=must_show)
        for at, (kind, slot, piece) in enumerate(items):
            if at > until * len(items) and not (must_show and not self.writer.shown):
                return
            if kind == ARGUMENTS and piece == "":
                self._tell(ModelAnnounced(slot=slot, name=calls[slot].name, provider_id=f"p{slot}"))
                self.writer.speak_of(self.machine.call_at(slot))
            elif kind == ARGUMENTS:
                self.writer.speak_of(self.machine.call_at(slot))
                self.writer.speak(kind, piece)
            else:
                self.writer.speak(kind, piece)
            self._happen_beside(0.06)

    def _turn(self, calls: Sequence[ToolRequest]) -> None:
        """The model has said a whole turn."""
        writer, dice = self.writer, self.dice
        unsaid = "" if writer.spoke or self._may(0.7) else "said at once"
        if unsaid:
            writer.text(unsaid)
        writer.end_turn()
        fails = self.rounds_left == 0 and self.wish == "error"
        label = StopReason.LENGTH if fails else dice.choice([None, StopReason.STOP, StopReason.TOOL_CALLS])
        turn = ModelTurn(text=unsaid, tool_requests=tuple(calls), usage=self.draws.usage(), stop_reason=label)
        named = self.machine.standing.calls
        streamed = frozenset(slot for slot, call in enumerate(named) if call in writer.streamed)
        gated: dict[int, PauseAsk] = {}
        for slot, call in enumerate(calls):
            needs_approval = call.name == "transfer"
            of: dict[str, Any] = {"needs_approval": needs_approval, **self.draws.expiry(self.clock.now_s())}
            if call.damage is None and (ask := ask_of(call, SPECS[call.name], **of)) is not None:
                gated[slot] = ask
        self.rounds_left = max(0, self.rounds_left - 1)
        self._tell(ModelTurned(turn=turn, spoke=writer.spoke, streamed=streamed, gated=gated))

    def _requests(self) -> list[ToolRequest]:
        """The calls that the model is about to make; at least one."""
        asking = ["transfer", "ask_user", "pick_file", "add", "ping"] if self.pauses else ["add", "ping"]
        names = [self.dice.choice(asking) for _ in range(self.dice.randint(2, 3) if self.parallel else 1)]
        if self.wish == "waiting" and self.rounds_left <= 1:
            names[0] = self.dice.choice(["transfer", "ask_user", "pick_file"])
        return [self.draws.request(name) for name in names]

    def _call(self) -> None:
        """One thing that happens while calls run."""
        running = self.machine.standing.executing()
        call = self.dice.choice(running)
        last = self.rounds_left == 0 and self.wish in ("error", "cancelled")
        self._happen_beside(0.2)
        if last and self._may(0.25):
            given: Input = CancelRequested() if self.wish == "cancelled" else DeadlinePassed(limit=Limit.WALL_CLOCK)
            self._tell(given)
        elif self.retractions and self._may(0.1):
            self.takes_over = True
        elif self._may(0.35 * self.mix.beside):
            self._tell(ToolProgressed(call_id=call.call_id, payload={"done": self.dice.randint(0, 9)}))
        elif self.pauses and call.next_sequence < 3 and len(call.said) < 2 and self._may(0.2):
            schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
            asked = InterruptAsk(name="confirm.place", payload={"where": "é"}, schema=schema)
            self._tell(
                ToolPaused(call_id=call.call_id, ask=interrupt_of(asked, **self.draws.expiry(self.clock.now_s())))
            )
        else:
            self._tell(ToolReturned(outcome=self.draws.outcome(call.call_id)))

    def _stop(self) -> None:
        """The run ends and waits for its calls."""
        call = self.dice.choice(self.machine.standing.executing())
        if self._may(0.1):
            self.takes_over = True
            return
        stopped = ToolOutcome(call_id=call.call_id, status=ToolStatus.CANCELLED, error="stopped", duration_ms=3.5)
        self._tell(ToolReturned(outcome=stopped if self._may(0.7) else self.draws.outcome(call.call_id)))

    def _hear(self) -> None:
        """What people say to a run that waits; or nobody does."""
        standing = self.machine.standing
        open_ = [pause for name, pause in standing.pauses.items() if name not in standing.answers]
        pending = self.dice.choice(open_)
        if self.rounds_left == 0 and self.wish == "cancelled" and self._may(0.5):
            self._tell(CancelRequested(reason="stop button"))
        elif pending.expires_at is not None and self._may(0.2):
            next_expires_at = self.clock.now_s() + 7200.0
            self._tell(PauseExpired(interrupt_id=pending.interrupt_id, next_expires_at=next_expires_at))
        else:
            said = self.draws.said(pending)
            decided = DecisionKept(
                interrupt_id=pending.interrupt_id, decision=said.decision, by="ann", at_s=self.clock.now_s()
            )
            resolution = resolution_of(pending, said, lambda _name, _arguments: None)
            self._tell(Answered(resolutions=(resolution,), decided=(decided,)))

    def _happen_beside(self, share: float) -> None:
        """A source, a tool or a pipeline says something of its own."""
        if not self._may(share * self.mix.beside):
            return
        event, fields = self.draws.beside()
        self.writer.write([Emit(event=event, fields=fields)], self._carry)


def _ends(mix: Mix) -> list[float]:
    return [mix.done, mix.error, mix.cancelled, mix.waiting]
