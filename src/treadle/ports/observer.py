"""The port of those who look on: traces, metrics, bills. They fold the records and answer nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from treadle.values.ids import RunId
from treadle.values.stretches import Stretch


class RunObserver(Protocol):
    """Somebody who is told what was stored of a run, by the worker that stored it."""

    def stored(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """These stretches were stored, in order, right after those of the last call for this run.

        Called in the run's own task and context, so it must not wait. What it raises is logged and harms nothing.
        """
        ...

    def released(self, run_id: RunId, /) -> None:
        """This worker has let the run go: closed, waiting, given back or lost. Nothing more comes for it from here."""
        ...


@runtime_checkable
class RunLearner(RunObserver, Protocol):
    """An observer that also wants to know what was stored of a run before its worker came."""

    def learn(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """This worker has claimed the run, of which these stretches were stored before, from the first.

        Called once a claim, before anything else of it. What an earlier claim of this worker has left open is over.
        """
        ...


@runtime_checkable
class RunSettler(RunObserver, Protocol):
    """An observer that has work of its own under way, which is to come to its end before the process does."""

    async def settle(self) -> None:
        """The runner that tells it of runs is being left: nothing more comes from there. It waits for a few seconds.

        What it raises is logged. It may be told of runs again, where the runner is entered again.
        """
        ...
