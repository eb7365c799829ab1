"""An older store moves forward, a version at a time, under its owner's lock."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from treadle.adapters.stores.sqlite import schema
from treadle.adapters.stores.sqlite.connection import open_writer
from treadle.adapters.stores.sqlite.owner_lock import OwnerLock
from treadle.adapters.stores.sqlite.upgrade import upgrade
from treadle.errors import RunLogError, SchemaTooNewError, StoreOwnedError


def _store(path: Path, version: int) -> Path:
    """A store of a version."""
    connection = open_writer(path, synchronous="NORMAL")
    for number in range(1, version + 1):
        connection.executescript(schema.transaction(schema.steps().get(number, ""), version=number))
    connection.close()
    return path


def _version(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return schema.version_of(connection, path)
    finally:
        connection.close()


@pytest.mark.parametrize("version", range(schema.newest() + 1))
def test_every_version_moves_to_the_newest(version: int, tmp_path: Path) -> None:
    """Design: `treadle db upgrade` moves forward."""
    path = _store(tmp_path / "runs.db", version)
    assert upgrade(path) == (version, schema.newest())
    assert _version(path) == schema.newest()
    assert upgrade(path) == (schema.newest(), schema.newest())


def test_a_step_that_fails_leaves_the_version_before_it(tmp_path: Path) -> None:
    """Ours: each step is one transaction."""
    path = _store(tmp_path / "runs.db", 1)
    connection = sqlite3.connect(path)
    connection.execute("create table messages (word text)")
    connection.commit()
    connection.close()
    with pytest.raises(RunLogError):
        upgrade(path)
    assert _version(path) == 1


def test_a_newer_store_is_not_moved_back(tmp_path: Path) -> None:
    """Design: refused, and left as it is."""
    path = _store(tmp_path / "runs.db", schema.newest() + 1)
    with pytest.raises(SchemaTooNewError):
        upgrade(path)
    assert _version(path) == schema.newest() + 1


def test_a_store_in_use_is_not_moved(tmp_path: Path) -> None:
    """Ours: the tables do not change under a process that has it open."""
    path = _store(tmp_path / "runs.db", 1)
    lock = OwnerLock(path)
    with pytest.raises(StoreOwnedError):
        upgrade(path)
    lock.release()
    assert _version(path) == 1


def test_no_store_is_made_where_there_is_none(tmp_path: Path) -> None:
    """Ours: a mistyped path is no new file."""
    with pytest.raises(RunLogError, match="no store"):
        upgrade(tmp_path / "runs.db")
    assert list(tmp_path.iterdir()) == []
