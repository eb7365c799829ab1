"""What the suite for stores asks of whoever tests a store: how to make one, and how to hurt it.

A harness has `make`. What else it can do, it says by having the methods of `Reopens`, `Corrupts`, `FillsDisk`,
`LosesAcknowledgement` and `Compacts`; checks that need one it has not are not run.

Source: docs/stores.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol, runtime_checkable

from treadle.ports.clock import Clock
from treadle.ports.store import Store
from treadle.values.ids import RunId


class LostAcknowledgementError(Exception):
    """Raised in place of an acknowledgement that got lost: what was asked is done, and nobody heard of it."""


class StoreHarness(ABC):
    """Makes the store under test. There is one harness a check, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def make(self, clock: Clock, /) -> AbstractAsyncContextManager[Store]:
        """A new, empty store that takes the time from this clock. Called once a check."""


@runtime_checkable
class Reopens(Protocol):
    """A store that outlives its process."""

    def reopen(self, clock: Clock, /) -> AbstractAsyncContextManager[Store]:
        """End the store that `make` made as if its process had died, and open what it left behind.

        The manager that `make` gave is left afterwards; that must do no harm.
        """
        ...


@runtime_checkable
class Corrupts(Protocol):
    """A store whose rows can be damaged from outside."""

    async def corrupt(self, run_id: RunId, seq: int, /) -> None:
        """Damage the row that holds this record, so that it can no longer be read."""
        ...


@runtime_checkable
class FillsDisk(Protocol):
    """A store that can be left without room."""

    def fill_disk(self) -> AbstractAsyncContextManager[None]:
        """While this is entered the store has no room to write."""
        ...


@runtime_checkable
class LosesAcknowledgement(Protocol):
    """A store whose word can get lost on the way back."""

    def lose_acknowledgement(self) -> None:
        """Let the next append of the store commit and then raise `LostAcknowledgementError`."""
        ...


@runtime_checkable
class Compacts(Protocol):
    """A store that compacts finished passages when it is told to."""

    async def compact(self, scope: str, run_id: RunId, /) -> None:
        """Compact all that can be compacted of a run."""
        ...
