"""One run, driven: the machine's effects are carried out, and what comes of them is told to it.

One task a run. Everything from outside (cancel, deadlines, results of tools) is posted as an input and is told
between two steps; where the task is listening to a model, posting interrupts it. Speech takes the short road: a
piece goes from the model's list to the writer, and the machine hears only what has structure.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, cast

from treadle.errors import ModelError, ModelTruncatedError
from treadle.kernel.effects import (
    AskModel,
    CallTools,
    Close,
    Recall,
    StopModel,
    StopTools,
    Wait,
    Withdraw,
)
from treadle.kernel.inputs import (
    CancelRequested,
    DeadlinePassed,
    Input,
    ModelAnnounced,
    ModelBroke,
    ModelTurned,
    PartBroke,
    Recalled,
    Started,
)
from treadle.kernel.machine import Machine
from treadle.kernel.standing import Standing
from treadle.kernel.transitions import Phase
from treadle.ports.clock import Clock
from treadle.ports.model import ModelRequest
from treadle.runtime.asking import CallAsks
from treadle.runtime.deadlines import Deadlines
from treadle.runtime.declared_output import DeclaredOutput
from treadle.runtime.failpoints import Failpoint, reach
from treadle.runtime.interrupting import Interrupt
from treadle.runtime.output_bound import OutputBound
from treadle.runtime.served import ServedAgent
from treadle.runtime.taken_in import turn_taken_in
from treadle.runtime.tool_calls import ToolCalls
from treadle.runtime.writer import Writer
from treadle.text.surrogates import find_half
from treadle.values.events import Error
from treadle.values.limits import Limit, RunRules
from treadle.values.making import maker
from treadle.values.model import CallNamed, ModelItem, ModelTurn, TurnEnded, UsageTold
from treadle.values.requests import PromptAssembly, TurnRequest, assemble
from treadle.values.usage import NO_USAGE, UsageDelta

_log = logging.getLogger("treadle.run")
_BEFORE_MODEL_CALL: Final = Failpoint.BEFORE_MODEL_CALL
_AT_REST: Final = (Phase.WAITING, Phase.FINAL)
_Measured = ModelBroke | DeadlinePassed | CancelRequested | PartBroke
_MEASURED: Final = frozenset({ModelBroke, DeadlinePassed, CancelRequested, PartBroke})
_Deed = AskModel | CallTools | Close | Recall | StopModel | StopTools | Wait | Withdraw
_INTERRUPTS: Final = frozenset({CancelRequested, DeadlinePassed, ModelBroke, PartBroke})

_request, _announced, _turned = maker(ModelRequest), maker(ModelAnnounced), maker(ModelTurned)


class RunLoop:
    """Drives one segment of a run to its closing event.

    `failure` is the exception behind an `error`, for the caller in process.
    """

    def __init__(
        self,
        *,
        served: ServedAgent,
        rules: RunRules,
        clock: Clock,
        writer: Writer,
        machine: Machine | None = None,
        told: Callable[[Input], None] | None = None,
    ) -> None:
        """`rules` are the run's own; `machine` is one that was rebuilt; `told` hears of every input it has taken."""
        self._model, self._toolbox, self._instructions = served.model, served.toolbox, served.instructions
        self._declared = DeclaredOutput(served.output)
        self._clock = clock
        self._runs = runs = writer.runs
        self._writer, self._rules = writer, rules
        self._specs = self._toolbox.specs()
        self._asks = CallAsks(toolbox=self._toolbox, clock=clock, rules=served.pauses)
        self._machine = machine or Machine()
        self._standing = self._machine.standing
        self._told = told
        self._to_call: list[CallTools] = []
        self.commit: Callable[[], Awaitable[None]] | None = None
        """Waits until what is written is stored; None where writing is storing."""
        self._output = OutputBound(runs=runs, limit_bytes=rules.limits.output_bytes, post=self.post)
        self._tools = ToolCalls(
            toolbox=self._toolbox, clock=clock, post=self.post, room=self._output.room, asks=self._asks
        )
        self._deadlines = Deadlines(limits=rules.limits, clock=clock, post=self.post, runs=runs)
        self._posted: deque[Input] = deque()
        self._ask: AskModel | None = None
        self._ask_at_s = 0.0
        self._is_round_owed = False
        self._prompt: PromptAssembly | None = None
        self._told_usage: UsageDelta = NO_USAGE
        self.lived_s = 0.0
        """How long the run was at work before."""
        self._begun_s = 0.0
        self._task: asyncio.Task[Any] | None = None
        self._woken: asyncio.Future[None] | None = None
        self._listening = False
        self._interrupt = Interrupt()
        self._is_awaited = False
        self._is_let_go = False
        self.failure: BaseException | None = None

    @property
    def machine(self) -> Machine:
        """The rules of the run, to look at."""
        return self._machine

    def post(self, given: Input) -> None:
        """Tell the run something from outside its task. It is told between two steps."""
        self._posted.append(given)
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)
        elif self._listening and not self._interrupt.is_on and type(given) in _INTERRUPTS and self._task is not None:
            self._interrupt.begin(self._task)

    async def drive(self, request: TurnRequest, *, inputs: Sequence[Input] = ()) -> None:
        """Run from the request to the closing event of the segment.

        A machine that was rebuilt is told these inputs first, in place of the request.

        Cancel:  The run is cancelled: its open calls are stopped, what was shown is kept, the closing event is
                 written, and the cancellation is raised. Where a store keeps the run, its calls are stopped and
                 nothing is written: another owner goes on with it.
        """
        self._task = asyncio.current_task()
        self._begun_s = self._clock.monotonic_s() - self.lived_s
        self._prompt = assemble(instructions=self._instructions, request=request, recalled=self._declared.blocks)
        self._deadlines.start(lived_s=self.lived_s)
        try:
            is_new = self._standing.phase is Phase.NEW
            self._posted.extendleft([Started(request=request, rules=self._rules)] if is_new else reversed(inputs))
            await self._to_rest()
        except asyncio.CancelledError:
            self._is_let_go = self.commit is not None
            if not self._is_let_go:
                self._tell(CancelRequested(reason="shutdown"))
                await self._to_rest()
            raise
        finally:
            self._deadlines.stop()
            await self._tools.aclose()
            if not self._runs.closed and not self._is_let_go:
                self._rest()
            # What holds this loop in turn is let go of: it is freed at once then, and no collector looks for it.
            self._task = self.commit = self._told = None
            del self._output, self._tools, self._deadlines
            self._writer.part()

    def _rest(self) -> None:
        """No closing event was written: people have not said all that the run waits for."""
        if self._standing.phase is Phase.WAITING:
            self._runs.close()
            return
        # From here on nothing should ever run; it is here because no reader may be left without a closing event.
        self._writer.distrust()
        fields = {"code": "internal", "termination": "internal", "reference": _reference(self._standing)}
        self._close(Close(event=Error, fields=fields))

    async def _to_rest(self) -> None:
        standing, posted = self._standing, self._posted
        while standing.phase not in _AT_REST or posted or self._to_call:
            try:
                if self._to_call:
                    await self._call_when_stored()
                elif posted:
                    self._tell(posted.popleft())
                elif self._ask is None:
                    await self._sleep(None)
                elif self._ask_at_s and (wait_s := self._ask_at_s - self._clock.monotonic_s()) > 0:
                    await self._sleep(wait_s)
                elif self._is_round_owed and self.commit is not None:
                    # What people decided and what calls came to is stored before the model is told of it.
                    self._is_round_owed = False
                    await self.commit()
                else:
                    self._ask = None
                    await self._listen()
            except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
                raise
            except BaseException as bug:  # noqa: BLE001 (the border of a run: whatever breaks is an input)
                self._break(bug)

    async def _call_when_stored(self) -> None:
        """Commit first, then act: a call is stored before its tool is run."""
        if self.commit is not None:
            await self.commit()
        to_call, self._to_call = self._to_call, []
        for call in to_call:
            self._tools.start(call.requests, answers=call.answers, at_once=False)

    def _break(self, bug: BaseException) -> None:
        """A part of this side failed: the run ends `error`, and the operator is told the rest."""
        self.failure = bug
        reference = _reference(self._standing)
        _log.error("run failed inside, reference %s", reference, exc_info=bug)
        self._writer.distrust()
        if self._standing.phase is Phase.NEW:
            raise bug
        self._tell(PartBroke(reference=reference, detail=f"{type(bug).__name__}: {bug}"))

    # Telling the machine, and carrying out what it wants.

    def _tell(self, given: Input) -> None:
        if type(given) in _MEASURED:
            if self._standing.phase is Phase.ASKING:
                given = self._measured(cast("_Measured", given))
            elif isinstance(given, ModelBroke):
                return  # The model ended in the very moment in which its silence was noticed.
        # A reader who has read all there is sees a call begin before the call does anything.
        self._is_awaited = self._runs.is_waited or self._runs.is_awaited
        self._writer.write(self._machine.receive(given), self._carry)
        if self._told is not None:
            self._told(given)

    def _measured(self, given: _Measured) -> _Measured:
        """Add what was heard of the turn under way. A turn that is given up lets go what its filters hold."""
        told = replace(given, usage=self._told_usage, shown=self._writer.shown)
        if isinstance(told, ModelBroke) and self._machine.retries(told):
            return told
        self._writer.end_turn()
        return replace(told, shown=self._writer.shown)

    def _carry(self, effect: _Deed) -> None:
        match effect:
            case AskModel():
                self._prepare(effect)
            case CallTools() if self.commit is None:
                self._tools.start(effect.requests, answers=effect.answers, at_once=not self._is_awaited)
            case CallTools():
                self._to_call.append(effect)
            case Close():
                self._close(effect)
            case Withdraw():
                self._writer.withdraw()
            case StopModel():
                self._ask = None
            case StopTools():
                self._tools.stop(effect.call_ids)
            case Recall():
                self._posted.append(Recalled())
            case Wait():
                return

    def _prepare(self, effect: AskModel) -> None:
        self._ask = effect
        self._is_round_owed = effect.round > 1 and effect.attempt == 1
        self._ask_at_s = self._clock.monotonic_s() + effect.wait_s if effect.wait_s else 0.0
        self._told_usage = NO_USAGE
        self._writer.begin_attempt(effect.attempt)

    def _close(self, effect: Close) -> None:
        duration_ms = max(0.0, (self._clock.monotonic_s() - self._begun_s) * 1000.0)
        self._writer.close(effect, duration_ms=duration_ms, read=self._declared.reader(effect.event))

    async def _sleep(self, wait_s: float | None) -> None:
        """Until something is posted, or for so long."""
        loop = asyncio.get_running_loop()
        self._woken = woken = loop.create_future()
        timer = None if wait_s is None else loop.call_later(wait_s, _wake, woken)
        try:
            await woken
        finally:
            self._woken = None
            if timer is not None:
                timer.cancel()

    # Listening to the model.

    async def _listen(self) -> None:
        """Ask the model and hear it out, or until something more urgent is posted."""
        assert self._prompt is not None
        request = _request(prompt=self._prompt, turns=self._standing.turns, tools=self._specs)
        given: Input | None = None
        reach(_BEFORE_MODEL_CALL)
        self._listening = True
        self._deadlines.listen()
        stream = self._model.ask(request)
        try:
            try:
                given = await self._hear(stream)
            finally:
                await stream.aclose()
        except asyncio.CancelledError:
            if not self._interrupt.is_on:
                raise
            self._uncancel()
        except ModelError as failed:
            given = self._failed(failed)
        finally:
            self._listening = self._deadlines.listening = False
            if self._interrupt.is_on:
                self._interrupt.ease()
        if self._interrupt.is_on:
            await self._absorb_interrupt()
        if given is not None:
            self._tell(given)

    async def _absorb_interrupt(self) -> None:
        """The model ended before the interrupt came through: take it here, where it harms nothing."""
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
        self._uncancel()

    def _uncancel(self) -> None:
        if self._task is not None and self._interrupt.take_back(self._task):
            # Somebody else wants the task to end as well.
            if self.commit is not None:
                raise asyncio.CancelledError
            self._posted.append(CancelRequested(reason="shutdown"))

    async def _hear(self, stream: AsyncIterator[list[Any]]) -> Input:  # noqa: C901, PLR0912 (calls are too dear)
        """Every delta passes here: nothing is made, looked up or awaited that it does not need."""
        writer, runs, deadlines = self._writer, self._runs, self._deadlines
        open_kind, sight, look, append = writer.road
        lead = "" if sight is None else sight()
        left = runs.left
        async for items in stream:
            item = None
            for item in items:
                # Nearly everything is a pair: to try is free where it is one, to ask first is not.
                try:
                    kind, piece = item
                except TypeError:
                    if type(item) is TurnEnded:
                        return self._turned(item.turn)
                    self._structure(item)
                else:
                    # One object stands for a kind, nearly always; `speak` knows a kind that is merely equal.
                    if kind is not open_kind:
                        writer.speak(kind, piece)
                    elif lead not in piece and piece and (piece.isascii() or not find_half(piece)):
                        append(piece)
                        left -= 1
                        continue
                    elif look is None:
                        writer.speak(kind, piece)
                    elif shown := look(piece):
                        append(shown)
                        left -= 1
                        continue
                    else:
                        writer.let_go(kind, piece)
                open_kind, sight, look, append = writer.road
                lead = "" if sight is None else sight()
                left -= 1
                deadlines.reads += 1
            if item is None:
                deadlines.reads += 1
            if runs.is_waited:
                runs.wake()
            if left <= 0:
                if (room := self._output.checkpoint()) is not None:
                    # Who waits for a reader does not listen: its silence is not the model's.
                    deadlines.listening = False
                    await room
                    deadlines.listen()
                left = runs.left
        return self._failed(ModelTruncatedError("the model's stream ended without an end"))

    def _structure(self, item: ModelItem) -> None:
        if type(item) is CallNamed:
            self._tell(_announced(slot=item.slot, name=item.name, provider_id=item.provider_id))
            self._writer.speak_of(self._machine.call_at(item.slot))
        elif type(item) is UsageTold:
            self._told_usage = item.usage
        else:
            raise TypeError(f"a model yields pieces, CallNamed, UsageTold and TurnEnded, not {item!r}")

    def _turned(self, turn: ModelTurn) -> Input:
        if turn.text and not self._writer.spoke:
            self._writer.text(turn.text)
        self._writer.end_turn()
        if self._output.is_over():
            self._told_usage = turn.usage if turn.usage.reported else self._told_usage
            return DeadlinePassed(limit=Limit.OUTPUT_BYTES)
        if not turn.usage.reported and self._told_usage.reported:
            turn = replace(turn, usage=self._told_usage)
        spoke = self._writer.spoke
        if not turn.tool_requests:
            if (misfit := self._declared.misfit(turn, self._writer.answer)) is not None:
                self._told_usage = turn.usage
                return self._failed(misfit)
            return _turned(turn=turn, spoke=spoke)
        turn = turn_taken_in(turn, self._toolbox.checked)
        streamed = self._writer.streamed
        slots = frozenset([slot for slot, named in enumerate(self._standing.calls) if named in streamed])
        return _turned(turn=turn, streamed=slots, gated=self._asks.before(turn.tool_requests), spoke=spoke)

    def _failed(self, failed: ModelError) -> ModelBroke:
        self.failure = failed
        reference = _reference(self._standing)
        _log.warning("model %s: %s, reference %s", self._model.name, failed.code, reference, exc_info=failed)
        return _broke(failed, reference)


def _broke(failed: ModelError, reference: str) -> ModelBroke:
    return ModelBroke(
        code=failed.code,
        error_class=failed.error_class,
        retryable=failed.retryable,
        retry_after_s=failed.retry_after_s,
        reference=reference,
        detail=failed.detail,
    )


def _reference(standing: Standing) -> str:
    run_id = standing.request.run_id if standing.request else "run"
    return f"{run_id}.e{standing.round}.{standing.attempt}"


def _wake(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)
