"""One reader of one stored run: its place, what lies behind it, and what its leaving means.

In: where it begins and how far it reads. Out: stretches of the log, or records. Whoever delivers by stretches asks
`after` for what is there, `more` to be woken, and `is_over` whether anything can still come.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, Final, Self

from treadle.runtime.leaving import GOES_ON, OnDisconnect
from treadle.runtime.runner_parts import RunnerParts
from treadle.runtime.watching import PATIENCE_S, Unit, WatchedRecord, followed, is_over
from treadle.values.runs import RunState, RunStatus
from treadle.values.stretches import Stretch

_UNDER_WAY: Final = frozenset({RunStatus.READY, RunStatus.OWNED})


class RunReading:
    """A reader, for the time of its block: the run counts it as one that reads it.

    Shape: `place` is the index it begins after; `at_end` is set by whoever has read to the end, so that the leaving of
    its block is none.
    """

    def __init__(self, parts: RunnerParts, state: RunState, *, place: int, to_end_of: Unit) -> None:
        self.state = state
        self.place = place
        self.to_end_of = to_end_of
        self.at_end = False
        self._parts = parts
        self._scope, self._run_id = state.scope, state.run_id

    @property
    def was_ahead(self) -> bool:
        """Whether nothing lay behind the place when the run was found, and it was at work or was about to be."""
        state = self.state
        return self.place + 1 >= state.next_index and state.status in _UNDER_WAY

    async def __aenter__(self) -> Self:
        self._parts.readers.enter(self._run_id)
        self._parts.worker.wake(self._run_id)
        return self

    async def __aexit__(self, *_: object) -> None:
        rule = GOES_ON if self._parts.is_closed else rule_of(self.state)
        self._parts.readers.leave(self._scope, self._run_id, rule, at_end=self.at_end)

    # Both hand on what the store gives: a coroutine of their own would cost every delta as much again.

    def after(self, at: int, *, limit: int) -> Coroutine[Any, Any, Sequence[Stretch]]:
        """What is stored behind an event. See `RunLog.read`."""
        return self._parts.store.read(self._scope, self._run_id, at, limit=limit)

    def more(self, at: int) -> Coroutine[Any, Any, None]:
        """Come back when there may be more behind an event. See `RunLog.wait`."""
        return self._parts.store.wait(self._scope, self._run_id, at, timeout_s=PATIENCE_S)

    async def is_over(self, at: int, *, closed: bool) -> bool:
        """Whether a reader who stands at this event, which closes its segment or does not, has read all it will."""
        store = self._parts.store
        return await is_over(store, self._scope, self._run_id, at=at, to_end_of=self.to_end_of, closed=closed)

    async def records(self) -> AsyncGenerator[WatchedRecord, None]:
        """Every event behind the place, live, to the end."""
        found = followed(self._parts.store, self._scope, self._run_id, at=self.place, to_end_of=self.to_end_of)
        async with aclosing(found) as records:
            async for record in records:
                yield record
        self.at_end = True


def rule_of(state: RunState) -> OnDisconnect:
    """What the leaving of a run's last reader does."""
    after_s = state.properties.get("cancel_after_s")
    return GOES_ON if after_s is None else OnDisconnect(cancel_after_s=after_s)
