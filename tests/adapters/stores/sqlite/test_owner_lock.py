"""One process owns a store, and a second one is told who."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treadle.adapters.stores.sqlite.owner_lock import OwnerLock, lock_path, owner_of
from treadle.errors import RunLogError, StoreOwnedError

_HOLD = """
import sys
from pathlib import Path
from treadle.adapters.stores.sqlite.owner_lock import OwnerLock
lock = OwnerLock(Path(sys.argv[1]))
lock.tell(url=sys.argv[2] or None)
print("held", flush=True)
sys.stdin.read()
"""


def _held(store: Path, url: str = "") -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(store), url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_a_second_process_is_told_who_owns_the_store(tmp_path: Path) -> None:
    """Ours: the message says the process, and where it serves, so that one knows what to do."""
    store = tmp_path / "runs.db"
    for url in ("", "http://localhost:8000"):
        with _held(store, url) as child:
            with pytest.raises(StoreOwnedError) as refused:
                OwnerLock(store)
            assert str(child.pid) in str(refused.value)
            assert url in str(refused.value)
            assert owner_of(store) == ({"pid": child.pid, "url": url} if url else {"pid": child.pid})
            child.kill()
        OwnerLock(store).release()


def test_a_killed_owner_is_followed_at_once(tmp_path: Path) -> None:
    """Ours: the system lets go of the lock; no lease is waited for."""
    store = tmp_path / "runs.db"
    with _held(store) as child:
        child.kill()
        child.wait()
    lock = OwnerLock(store)
    assert owner_of(store) == {"pid": os.getpid()}
    lock.release()


def test_this_process_is_no_exception(tmp_path: Path) -> None:
    """Ours: two stores on one file in one process would be two writers as well."""
    lock = OwnerLock(tmp_path / "runs.db")
    with pytest.raises(StoreOwnedError, match="this process"):
        OwnerLock(tmp_path / "runs.db")
    lock.release()
    lock.release()
    OwnerLock(tmp_path / "runs.db").release()


def test_a_lock_file_that_says_nothing_is_borne(tmp_path: Path) -> None:
    """Ours: what it says is for people; the lock is the system's."""
    store = tmp_path / "runs.db"
    lock = OwnerLock(store)
    for said in ("", "rubbish", "[1]"):
        lock_path(store).write_text(said)
        assert owner_of(store) == {}
        with pytest.raises(StoreOwnedError, match="another process"):
            OwnerLock(store)
    lock.release()
    lock.tell(url="http://too.late")
    assert owner_of(store) == {}


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    """Ours: nothing of the system's errors passes a port."""
    with pytest.raises(RunLogError):
        OwnerLock(tmp_path / "none" / "runs.db")
