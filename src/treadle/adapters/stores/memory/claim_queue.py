"""Which run is claimed next: a heap a plan, of runs by the moment from which they may be claimed.

A heap never forgets an entry in its middle, so an entry speaks for a run only while the run names it as its `turn`.
"""

from __future__ import annotations

from collections.abc import Collection
from heapq import heappop, heappush

from treadle.adapters.stores.memory.stored_run import StoredRun


class ClaimQueue:
    """Runs that may be claimed, now or when their time has come."""

    __slots__ = ("_heaps", "_turns")

    def __init__(self) -> None:
        self._heaps: dict[str, list[tuple[float, int, StoredRun]]] = {}
        self._turns = 0

    def put(self, run: StoredRun, due_s: float) -> None:
        """A run may be claimed from this moment on."""
        self._turns += 1
        run.turn, run.due_s = self._turns, due_s
        heappush(self._heaps.setdefault(run.new.plan, []), (due_s, self._turns, run))

    def put_off(self, run: StoredRun, due_s: float) -> None:
        """A run may be claimed later than was said. Its entry moves when it comes up, so this costs nothing."""
        if run.due_s is not None and due_s >= run.due_s:
            run.due_s = due_s
        else:
            self.put(run, due_s)

    def drop(self, run: StoredRun) -> None:
        """A run can no longer be claimed."""
        run.turn = run.due_s = None

    def take(self, plans: Collection[str], now_s: float) -> StoredRun | None:
        """The run of these plans that may be claimed for the longest time."""
        first: StoredRun | None = None
        for plan in set(plans):
            run = self._first(plan, now_s)
            if run is not None and (first is None or _age(run) < _age(first)):
                first = run
        if first is not None:
            heappop(self._heaps[first.new.plan])
            if not self._heaps[first.new.plan]:
                del self._heaps[first.new.plan]
            self.drop(first)
        return first

    def _first(self, plan: str, now_s: float) -> StoredRun | None:
        """The run at the top of a plan's heap, if its time has come; entries that speak for nobody fall away."""
        heap = self._heaps.get(plan, [])
        while heap and heap[0][0] <= now_s:
            due_s, turn, run = heap[0]
            if run.turn == turn and run.due_s == due_s:
                return run
            heappop(heap)
            if run.turn == turn and run.due_s is not None:
                self.put(run, run.due_s)
        return None


def _age(run: StoredRun) -> tuple[float, int]:
    return run.due_s or 0.0, run.turn or 0
