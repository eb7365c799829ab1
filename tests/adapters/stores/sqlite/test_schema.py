"""The tables of a store: made whole, moved only when asked, refused when newer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from treadle.adapters.stores.sqlite.connection import open_writer
from treadle.adapters.stores.sqlite.schema import check_known, make_ready, newest, steps, transaction, version_of
from treadle.errors import RunLogError, SchemaTooNewError


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An empty file."""
    made = open_writer(tmp_path / "runs.db", synchronous="NORMAL")
    yield made
    made.close()


def test_steps_are_numbered_from_one_without_a_gap() -> None:
    """Ours: a version is a file, so that an upgrade is read like a list."""
    assert list(steps()) == list(range(1, newest() + 1))


def test_a_new_file_is_made_at_the_newest_version(connection: sqlite3.Connection, tmp_path: Path) -> None:
    """Ours: whole, in one transaction; a second time does nothing."""
    assert version_of(connection, tmp_path) == 0
    for _ in range(2):
        make_ready(connection, tmp_path)
        assert version_of(connection, tmp_path) == newest()


def test_a_newer_store_is_refused_with_words(connection: sqlite3.Connection, tmp_path: Path) -> None:
    """Design: a newer schema than we know is refused."""
    make_ready(connection, tmp_path)
    connection.execute("update schema_version set version = ?", (newest() + 1,))
    with pytest.raises(SchemaTooNewError, match=str(newest() + 1)):
        make_ready(connection, tmp_path)
    with pytest.raises(SchemaTooNewError):
        check_known(newest() + 1, tmp_path)
    check_known(newest(), tmp_path)


def test_an_older_store_is_left_alone_and_told_how_it_moves(connection: sqlite3.Connection, tmp_path: Path) -> None:
    """Ours: nobody's file is changed by opening it."""
    connection.executescript(transaction(steps()[1], version=1))
    with pytest.raises(RunLogError, match="treadle db upgrade"):
        make_ready(connection, tmp_path)
    assert version_of(connection, tmp_path) == 1


def test_another_programs_database_is_refused(connection: sqlite3.Connection, tmp_path: Path) -> None:
    """Ours: tables are made in an empty file or not at all."""
    connection.execute("create table cookies (word text)")
    with pytest.raises(RunLogError, match="cookies"):
        make_ready(connection, tmp_path)
    connection.execute("create table schema_version (version text)")
    connection.execute("insert into schema_version values ('a')")
    with pytest.raises(RunLogError):
        version_of(connection, tmp_path)
