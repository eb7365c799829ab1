"""Calls in motion: one task a call, each with a deadline, each ending in exactly one outcome.

In: requests that the run has dispatched. Out: inputs for the machine (progressed, paused, returned), through `post`.
This is the border of a tool call: whatever a tool raises ends here, as a value, and whatever it gives enters here, in
JSON terms.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Final

from treadle.codec.foreign import json_terms
from treadle.errors import ToolError
from treadle.framing.surrogates import whole_text
from treadle.kernel.inputs import Input, ToolPaused, ToolProgressed, ToolReturned
from treadle.ports.clock import Clock
from treadle.ports.toolbox import CallContext, CallInterrupted, InterruptAnswered, InterruptAsk, Toolbox
from treadle.runtime.asking import CallAsks
from treadle.runtime.failpoints import Failpoint, reach
from treadle.runtime.first_step import FirstSteps
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import CallId
from treadle.values.making import maker
from treadle.values.mappings import Json
from treadle.values.pauses import PendingInterrupt, Resolution

GRACE_S: Final = 0.8
"""Seconds that a stopped call has to end by itself; after that nobody knows what it still does.

A stop ends its run within a second: what is left of that is for writing it down."""

_log = logging.getLogger("treadle.tools")

# A member of an enum is looked up by the enum's class, which is slow where every call does it.
_BEFORE_TOOL: Final = Failpoint.CALL_BEFORE_TOOL
_AFTER_TOOL: Final = Failpoint.CALL_AFTER_TOOL

_context, _outcome, _returned = maker(CallContext), maker(ToolOutcome), maker(ToolReturned)

_STOPPED_WORDS: Final = {
    ToolStatus.CANCELLED: "cancelled: the run was stopped",
    ToolStatus.TIMEOUT: "stopped: it took longer than it may",
    ToolStatus.UNKNOWN: "unknown: it was told to stop and did not end in time",
}


_Said = Mapping[CallId, tuple[tuple[PendingInterrupt, Resolution], ...]]


class _Running:
    """One call that runs. It is its own stop flag: set once, read from any thread."""

    __slots__ = ("answered", "deadline", "grace", "has_begun", "request", "started_s", "stopped_as", "task")

    def __init__(self, request: ToolRequest, started_s: float, answered: tuple[InterruptAnswered, ...]) -> None:
        self.request = request
        self.answered = answered
        self.started_s = started_s
        self.has_begun = False
        self.stopped_as: ToolStatus | None = None
        self.deadline: asyncio.TimerHandle | None = None
        self.grace: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[None] | None = None

    def is_set(self) -> bool:
        return self.stopped_as is not None

    def disarm(self) -> None:
        for timer in (self.deadline, self.grace):
            if timer is not None:
                timer.cancel()


class ToolCalls:
    """The calls of one run."""

    def __init__(
        self,
        *,
        toolbox: Toolbox,
        clock: Clock,
        post: Callable[[Input], None],
        room: Callable[[], Awaitable[None]],
        asks: CallAsks,
    ) -> None:
        self._toolbox = toolbox
        self._asks = asks
        self._clock = clock
        self._post = post
        self._room = room
        self._timeouts = {spec.name: spec.timeout_s for spec in toolbox.specs()}
        self._running: dict[CallId, _Running] = {}
        self._abandoned: set[asyncio.Task[None]] = set()
        self._first_steps = FirstSteps()

    def start(self, requests: Iterable[ToolRequest], *, at_once: bool, answers: _Said | None = None) -> None:
        """Run these calls, all at once, each with what was said to it before.

        `at_once`: take their first steps now; a call that waits for nothing has then returned. Else they begin with
        the next turn of the event loop, after all that is ready to run.
        """
        for request in requests:
            call_id = request.call_id
            answered = _answered(answers.get(call_id, ())) if answers else ()
            self._running[call_id] = running = _Running(request, self._clock.monotonic_s(), answered)
            call, name = self._run(running), f"treadle call {call_id}"
            running.task = self._first_steps.begin(call, name=name) if at_once else asyncio.create_task(call, name=name)
            if running.task is None:
                continue
            timeout_s = self._timeouts.get(request.name)
            if timeout_s is not None and timeout_s != math.inf:
                loop = asyncio.get_running_loop()
                running.deadline = loop.call_later(timeout_s, self._stop, running, ToolStatus.TIMEOUT)

    def stop(self, call_ids: Iterable[CallId]) -> None:
        """Stop these calls; each returns within `GRACE_S`."""
        for named in call_ids:
            if named in self._running:
                self._stop(self._running[named], ToolStatus.CANCELLED)

    async def aclose(self) -> None:
        """Stop what still runs and wait for it, within its grace."""
        self._first_steps.close()
        running = list(self._running.values())
        self.stop([one.request.call_id for one in running])
        tasks = [one.task for one in running if one.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE_S)

    def _stop(self, running: _Running, status: ToolStatus) -> None:
        if running.stopped_as is not None or running.task is None:
            return
        running.stopped_as = status
        if running.task.done():
            # It ended without a word: by an interrupt, or cancelled from outside before its first step.
            self._abandon(running)
            return
        running.grace = asyncio.get_running_loop().call_later(GRACE_S, self._abandon, running)
        if running.has_begun:
            # A task that is cancelled before its first step never takes one, and would tell nobody.
            running.task.cancel()

    def _abandon(self, running: _Running) -> None:
        """It did not stop in its grace: its outcome is unknown, and what it still does counts no more."""
        if self._running.pop(running.request.call_id, None) is None or running.task is None:
            return
        self._abandoned.add(running.task)
        running.task.add_done_callback(self._abandoned.discard)
        self._post(ToolReturned(outcome=self._stopped(running, ToolStatus.UNKNOWN)))

    async def _run(self, running: _Running) -> None:
        request = running.request
        context = _context(progress=partial(self._progress, running), stop=running, answered=running.answered)
        running.has_begun = True
        try:
            if running.stopped_as is not None:
                raise asyncio.CancelledError  # noqa: TRY301 (it was stopped before its first step)
            reach(_BEFORE_TOOL)
            content = json_terms(await self._toolbox.call(request, context))
            reach(_AFTER_TOOL)
            outcome = _outcome(call_id=request.call_id, content=content, duration_ms=self._ms(running))
        except asyncio.CancelledError:
            # Where nobody stopped it: a tool that cancels itself, or an event loop that is closing.
            running.stopped_as = running.stopped_as or ToolStatus.CANCELLED
            outcome = self._stopped(running, running.stopped_as)
        except CallInterrupted as asked:
            self._interrupted(running, asked.ask)
            return
        except ToolError as told:
            outcome = self._failed(running, whole_text(str(told)) or "the tool failed")
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as unforeseen:  # noqa: BLE001 (the border of a tool call: whatever it raises is a value)
            _log.exception("tool %r failed in call %s", request.name, request.call_id)
            outcome = self._failed(running, f"{type(unforeseen).__name__}: the tool failed")
        if running.deadline is not None or running.grace is not None:
            running.disarm()
        if self._running.pop(request.call_id, None) is not None:
            self._post(_returned(outcome=outcome))

    def _interrupted(self, running: _Running, asked: InterruptAsk) -> None:
        """The call waits for a person. Nothing of it is held meanwhile."""
        running.disarm()
        if self._running.pop(running.request.call_id, None) is not None:
            self._post(ToolPaused(call_id=running.request.call_id, ask=self._asks.within(asked)))

    async def _progress(self, running: _Running, payload: Json) -> None:
        if running.stopped_as is None:
            self._post(ToolProgressed(call_id=running.request.call_id, payload=json_terms(payload)))
            await self._room()

    def _failed(self, running: _Running, error: str) -> ToolOutcome:
        return ToolOutcome(
            call_id=running.request.call_id, status=ToolStatus.FAILED, error=error, duration_ms=self._ms(running)
        )

    def _stopped(self, running: _Running, status: ToolStatus) -> ToolOutcome:
        return ToolOutcome(
            call_id=running.request.call_id,
            status=status,
            error=_STOPPED_WORDS[status],
            duration_ms=self._ms(running),
        )

    def _ms(self, running: _Running) -> float:
        return max(0.0, (self._clock.monotonic_s() - running.started_s) * 1000.0)


def _answered(said: tuple[tuple[PendingInterrupt, Resolution], ...]) -> tuple[InterruptAnswered, ...]:
    return tuple(
        InterruptAnswered(
            ask=InterruptAsk(
                name=pending.request["name"], payload=pending.request["payload"], schema=pending.response_schema
            ),
            value=resolution.value,
        )
        for pending, resolution in said
    )
