"""One process owns a store: it holds a lock on the file beside it.

In: the path of a store. Out: the lock, or who holds it. The system lets go of the lock when the process ends, however
it ends, so a dead owner is followed at once. The lock file stays; what it says counts only while it is locked.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from treadle.errors import RunLogError, StoreOwnedError

if sys.platform == "win32":  # pragma: no cover (another system's lock)
    import msvcrt

    # A byte far behind what the file says, so that the words can be read while it is locked.
    _LOCKED_BYTE = 1 << 30

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class OwnerLock:
    """The lock of one store, held until it is let go."""

    __slots__ = ("_descriptor", "_path")

    def __init__(self, store: Path) -> None:
        """Take the lock.

        Raises:
            StoreOwnedError: Another process holds it, or this one does already.
            RunLogError: The lock file cannot be made.
        """
        self._path = lock_path(store)
        try:
            self._descriptor: int | None = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise RunLogError(f"store {str(store)!r} cannot be locked: {error.strerror}") from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            os.close(self._descriptor)
            raise StoreOwnedError(_owned(store)) from error
        self.tell()

    def tell(self, *, url: str | None = None) -> None:
        """Write into the lock file whose it is, and where the owner can be reached."""
        if self._descriptor is not None:
            terms = {"pid": os.getpid()} if url is None else {"pid": os.getpid(), "url": url}
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, json.dumps(terms).encode() + b"\n")

    def release(self) -> None:
        """Let go of the lock. A second time does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.ftruncate(descriptor, 0)
            os.close(descriptor)


def lock_path(store: Path) -> Path:
    """Where the lock of a store is."""
    return store.with_name(f"{store.name}.lock")


def owner_of(store: Path) -> dict[str, Any]:
    """What the lock file says of the owner: `pid`, and `url` where it serves. Empty where it says nothing."""
    try:
        said = json.loads(lock_path(store).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _owned(store: Path) -> str:
    owner = owner_of(store)
    pid, url = owner.get("pid"), owner.get("url")
    if pid == os.getpid():
        return f"store {str(store)!r} is open in this process already; use the one that is open, or close it first"
    who = f"process {pid}" if pid is not None else "another process"
    if url is not None:
        return f"store {str(store)!r} is owned by {who}, which serves it at {url}; ask it there, or stop it first"
    return f"store {str(store)!r} is owned by {who}; one process has a store at a time: stop that one first"
