"""Push notifications: who is told of which task, and the telling.

In: targets that clients register, and the logs of their tasks. Out: the whole task, posted whenever it comes to rest:
waiting for somebody, or over. What lies between two rests is for streams. Off unless the mount was given rules.

Targets are kept by this process alone, and go with it: a client that wants to be told after a restart registers again.

Source: docs/protocols/a2a.md, ADR 0050 (webhooks go to checked addresses).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from treadle.errors import RunNotFoundError
from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.parse import PushTarget
from treadle.projections.a2a.project import TaskRun
from treadle.projections.a2a.telling import TaskTelling
from treadle.projections.a2a.wire import TERMINAL, Shape
from treadle.runtime.run_reading import RunReading
from treadle.server.errands import Errand
from treadle.server.feeds import PAGE
from treadle.server.folded_feed import Fold
from treadle.server.outbound.outbox import Outbox, Parcel
from treadle.server.outbound.rules import OutboundRules
from treadle.server.parts import ServerParts
from treadle.server.visit import Visit
from treadle.values.exposure import Exposure
from treadle.values.ids import RunId
from treadle.values.runs import RunState

MOST_TARGETS: Final = 8
"""Of one task."""
Key: TypeAlias = tuple[str, RunId]
"""A scope and a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """One target of one task, and all that is needed to tell it: nothing of the request that registered it.

    Shape: `shape` is the form that whoever registered it speaks.
    """

    target: PushTarget
    run: RunState
    shape: Shape
    exposure: Exposure
    read: Callable[[], Awaitable[RunReading]]
    is_allowed: Callable[[], Awaitable[bool]]

    def telling(self, after: int) -> TaskTelling:
        """How the next rest behind an event is told."""
        return TaskTelling(
            shape=self.shape,
            context_id=self.run.thread_id,
            submitted_s=self.run.created_s,
            after=after,
            rests=False,
            only_whole=True,
        )


class Pushes:
    """The targets of one mount. Without rules there are none, and a client that wants one is refused."""

    def __init__(self, rules: OutboundRules | None) -> None:
        self._rules = rules
        self._outbox: Outbox | None = None
        self._watched: dict[Key, dict[str, tuple[PushTarget, Errand]]] = {}

    @property
    def are_on(self) -> bool:
        """Whether any is ever sent."""
        return self._rules is not None

    async def check(self, parts: ServerParts, target: PushTarget) -> None:
        """Refuse a target that could not be told, before anything else is done for whoever wants it.

        Raises:
            FaultError: Notifications are off.
            OutboundRefusedError: Its address may not be called.
        """
        await self._sender(parts).check(target.url)

    def add(self, parts: ServerParts, watch: Watch) -> PushTarget:
        """Tell a target from now on; a target of the same id is told no more.

        Raises:
            FaultError: Notifications are off, the task is over, or it has as many targets as it may have.
        """
        sender = self._sender(parts)
        if watch.run.is_final:
            raise FaultError(Fault.UNSUPPORTED_OPERATION, "the task is over: there is nothing more to notify of")
        key = (watch.run.scope, watch.run.run_id)
        watched = self._watched.setdefault(key, {})
        target = watch.target
        if not target.target_id:
            free = next(str(number) for number in range(1, MOST_TARGETS + 2) if str(number) not in watched)
            target = replace(target, target_id=free)
        if len(watched) >= MOST_TARGETS and target.target_id not in watched:
            raise FaultError(Fault.UNSUPPORTED_OPERATION, f"a task has at most {MOST_TARGETS} targets")
        self._forget(key, target.target_id)
        kept = replace(watch, target=target)
        errand = parts.errands.begin(lambda errand: self._told(sender, kept, errand), name=f"push {watch.run.run_id}")
        self._watched.setdefault(key, {})[target.target_id] = (target, errand)
        return target

    def of(self, run: RunState) -> Sequence[PushTarget]:
        """The targets of a task."""
        return [target for target, _ in self._watched.get((run.scope, run.run_id), {}).values()]

    def one(self, run: RunState, target_id: str) -> PushTarget:
        """A target of a task; the only one, where none is named.

        Raises:
            FaultError: There is none such.
        """
        targets = {target.target_id: target for target in self.of(run)}
        found = targets.get(target_id) if target_id else next(iter(targets.values()), None)
        if found is None:
            raise FaultError(Fault.TASK_NOT_FOUND, "the task has no such target of notifications")
        return found

    def remove(self, run: RunState, target_id: str) -> None:
        """Tell a target no more. One that is not there is as good as removed."""
        self._forget((run.scope, run.run_id), target_id)

    async def _told(self, sender: Outbox, watch: Watch, errand: Errand) -> None:
        """Tell one target of each rest of its task, until that is over."""
        after, is_over = watch.run.next_index - 1, False
        try:
            reading = await watch.read()
            while not is_over:
                task = TaskRun(watch.run.run_id, watch.telling(after))
                fold = Fold(task, watch.exposure)
                errand.is_idle = True
                said = await _rest(reading, fold)
                errand.is_idle = False
                if not await watch.is_allowed():
                    return
                after, is_over = fold.at, task.whole.status.state in TERMINAL
                await sender.deliver(_parcel(watch, said, after))
        except RunNotFoundError:
            return  # It was deleted.
        finally:
            self._over((watch.run.scope, watch.run.run_id), watch.target.target_id, errand)

    def _over(self, key: Key, target_id: str, errand: Errand) -> None:
        _, known = self._watched.get(key, {}).get(target_id, (None, None))
        if known is errand:
            self._drop(key, target_id)

    def _forget(self, key: Key, target_id: str) -> None:
        if (known := self._watched.get(key, {}).get(target_id)) is not None:
            self._drop(key, target_id)
            known[1].stop()

    def _drop(self, key: Key, target_id: str) -> None:
        del self._watched[key][target_id]
        if not self._watched[key]:
            del self._watched[key]

    def _sender(self, parts: ServerParts) -> Outbox:
        if self._rules is None:
            raise FaultError(Fault.PUSH_NOT_SUPPORTED, "this server sends no push notifications")
        if self._outbox is None:
            self._outbox = Outbox(self._rules, clock=parts.clock)
        return self._outbox


async def _rest(reading: RunReading, fold: Fold) -> str:
    """The task at its next rest. One that is final has been there, so there is one to come.

    Raises:
        RunNotFoundError: The run was deleted.
    """
    while True:
        before = fold.at
        for stretch in await reading.after(fold.at, limit=PAGE):
            while not fold.is_over and fold.at < stretch.index + stretch.events - 1:
                if said := fold.payloads(stretch):
                    return said[-1]
        if fold.at == before:
            await reading.more(fold.at)


def _parcel(watch: Watch, task: str, index: int) -> Parcel:
    target, headers = watch.target, dict[str, str]()
    if target.token:
        headers["x-a2a-notification-token"] = target.token
    if target.scheme and target.credentials:
        headers["authorization"] = f"{target.scheme} {target.credentials}"
    message_id = f"{watch.run.run_id}.{index}.{target.target_id}"
    return Parcel(url=target.url, message_id=message_id, body=task.encode(), headers=headers)


def watched(visit: Visit, run: RunState, target: PushTarget, *, shape: Shape, exposure: Exposure) -> Watch:
    """A target as whoever visits registers it."""
    runs = visit.runs

    async def read() -> RunReading:
        return await runs.reading(run.run_id)

    return Watch(
        target=target,
        run=run,
        shape=Shape.V1_0 if shape is Shape.V1_0 else Shape.V0_3,
        exposure=exposure,
        read=read,
        is_allowed=visit.still_allowed(run),
    )
