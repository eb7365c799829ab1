"""Connections: one that writes, others that cannot, and failures in our words."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from treadle.adapters.stores.sqlite import connection as module
from treadle.adapters.stores.sqlite.connection import limit_size, open_reader, open_writer, sqlite_advice, store_error
from treadle.errors import RunLogError, StoreFullError


def test_the_writer_keeps_its_word_by_a_log_that_is_flushed(tmp_path: Path) -> None:
    """Ours: WAL, FULL unless told otherwise, deleted content overwritten, no file mapped into memory."""
    for word, number in (("FULL", 2), ("NORMAL", 1)):
        connection = open_writer(tmp_path / f"{word}.db", synchronous=word)  # type: ignore[arg-type]  # one of its words
        asked = {name: connection.execute(f"pragma {name}").fetchone() for name in ("journal_mode", "synchronous")}
        assert asked == {"journal_mode": ("wal",), "synchronous": (number,)}
        assert connection.execute("pragma secure_delete").fetchone() == (1,)
        assert connection.execute("pragma mmap_size").fetchall() in ([(0,)], [])
        connection.close()


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    """Ours: what people say to agents is nobody else's."""
    open_writer(tmp_path / "runs.db", synchronous="FULL").close()
    assert stat.S_IMODE((tmp_path / "runs.db").stat().st_mode) == 0o600


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    """Ours: two connections that write or checkpoint at one moment are ruled out by construction."""
    writer = open_writer(tmp_path / "a file?.db", synchronous="FULL")
    writer.execute("create table one (word text)")
    reader = open_reader(tmp_path / "a file?.db")
    assert reader.execute("select count(*) from one").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError):
        reader.execute("insert into one values ('x')")
    reader.close()
    writer.close()


def test_what_cannot_be_opened_is_said_in_our_words(tmp_path: Path) -> None:
    """Ours: nothing of a library's errors passes a port."""
    (tmp_path / "text.db").write_text("no database, but long enough to be looked at as one " * 100)
    for path in (tmp_path / "text.db", tmp_path / "no folder" / "runs.db", tmp_path):
        with pytest.raises(RunLogError):
            open_writer(path, synchronous="FULL")


def test_a_file_system_without_a_shared_log_is_refused(tmp_path: Path) -> None:
    """Ours: without a write-ahead log readers and writer would wait for each other."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    with pytest.raises(RunLogError, match="write-ahead"):
        module._set_up(connection, tmp_path / "runs.db", "FULL")  # noqa: SLF001 (no other file system is at hand)
    connection.close()


def test_a_full_store_is_told_from_a_broken_one(tmp_path: Path) -> None:
    """Ours: what passes by itself is another error than what does not."""
    connection = open_writer(tmp_path / "runs.db", synchronous="FULL")
    connection.execute("create table one (body blob)")
    limit_size(connection, 0)
    with pytest.raises(sqlite3.OperationalError) as full:
        connection.execute("insert into one values (zeroblob(100000))")
    assert type(store_error(full.value, tmp_path)) is StoreFullError
    limit_size(connection, None)
    connection.execute("insert into one values (zeroblob(100000))")
    with pytest.raises(sqlite3.OperationalError) as other:
        connection.execute("select nothing")
    assert type(store_error(other.value, tmp_path)) is RunLogError
    connection.close()


def test_an_old_sqlite_is_advised_against(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite: before it was mended, two connections at one moment could damage a file."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
    assert "3.51.3" in (sqlite_advice() or "")
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 3))
    assert sqlite_advice() is None


def test_a_sqlite_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: with words, before the file is touched."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(RunLogError, match="SQLite 3"):
        open_writer(tmp_path / "runs.db", synchronous="FULL")
    assert not (tmp_path / "runs.db").exists()


def test_another_programs_database_is_left_as_it_is(tmp_path: Path) -> None:
    """Ours: a wrong path costs nobody anything; not even the way the file is journalled changes."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("create table bookmarks(url text)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(RunLogError, match="not a store of runs"):
        open_writer(path, synchronous="FULL")
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["other.db"]
