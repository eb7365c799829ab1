"""One process owns a store: it holds a lock on the file beside it.

In: the path of a store. Out: the lock, or who holds it. The system lets go of the lock when the process ends, however
it ends, so a dead owner is followed at once. The lock file stays; what it says counts only while it is locked.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
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

    __slots__ = ("_descriptor", "_path", "_token_path")

    def __init__(self, store: Path) -> None:
        """Take the lock.

        Raises:
            StoreOwnedError: Another process holds it, or this one does already.
            RunLogError: The lock file cannot be made.
        """
        self._path = lock_path(store)
        self._token_path = token_path(store)
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

    def tell(self, *, url: str | None = None, token: str | None = None) -> None:
        """Write into the lock file whose it is, and where the owner can be reached.

        A token, which opens that address to commands, is written to a file of its own that nobody else can read.
        """
        if self._descriptor is not None:
            _write_token(self._token_path, token)
            terms = {"pid": os.getpid()} if url is None else {"pid": os.getpid(), "url": url}
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, json.dumps(terms).encode() + b"\n")

    def release(self) -> None:
        """Let go of the lock. A second time does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # It is of no use to anybody without its owner, so that it stays would be no harm.
            with suppress(OSError):
                _write_token(self._token_path, None)
            os.ftruncate(descriptor, 0)
            os.close(descriptor)


def lock_path(store: Path) -> Path:
    """Where the lock of a store is."""
    return store.with_name(f"{store.name}.lock")


def token_path(store: Path) -> Path:
    """Where the token stands by which the owner's server knows commands of the same user."""
    return store.with_name(f"{store.name}.token")


def token_of(store: Path) -> str | None:
    """The token that the owner has left; None where there is none, or it is not ours to read."""
    try:
        return token_path(store).read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return None


def owner_of(store: Path) -> dict[str, Any]:
    """What the lock file says of the owner: `pid`, and `url` where it serves. Empty where it says nothing."""
    try:
        said = json.loads(lock_path(store).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _write_token(path: Path, token: str | None) -> None:
    """Write a token, for the owner's own user alone. A file that is there is replaced: it may be anybody's."""
    path.unlink(missing_ok=True)
    if token is not None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, f"{token}\n".encode())
        finally:
            os.close(descriptor)


def _owned(store: Path) -> str:
    owner = owner_of(store)
    pid, url = owner.get("pid"), owner.get("url")
    if pid == os.getpid():
        return f"store {str(store)!r} is open in this process already; use the one that is open, or close it first"
    who = f"process {pid}" if pid is not None else "another process"
    if url is not None:
        return f"store {str(store)!r} is owned by {who}, which serves it at {url}; ask it there, or stop it first"
    return f"store {str(store)!r} is owned by {who}; one process has a store at a time: stop that one first"
