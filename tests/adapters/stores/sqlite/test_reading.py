"""Readers see what is committed, from one snapshot, and can do nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.stores.sqlite.files import owned, tables
from treadle.adapters.stores.sqlite.reading import Reading
from treadle.errors import RunLogError, StateError


async def test_a_query_sees_what_is_committed_and_no_more(tmp_path: Path) -> None:
    """Ours: also while the writer is in the middle of a transaction."""
    path = tmp_path / "runs.db"
    with tables(path) as connection:
        reading = Reading(path)
        count = "select count(*) from runs"
        connection.execute("begin")
        owned(connection)
        assert await reading.ask(lambda reader: reader.execute(count).fetchone()) == (0,)
        connection.execute("commit")
        assert await reading.ask(lambda reader: reader.execute(count).fetchone()) == (1,)
        reading.close()


async def test_failures_are_ours(tmp_path: Path) -> None:
    """Ours: a query that fails, one that would write, and one that comes too late."""
    path = tmp_path / "runs.db"
    with tables(path):
        reading = Reading(path)
        for query in ("select nothing", "delete from runs"):
            with pytest.raises(RunLogError):
                await reading.ask(lambda reader, query=query: reader.execute(query))
        reading.close()
        with pytest.raises(StateError):
            await reading.ask(lambda reader: reader.execute("select 1"))
        reading.close()
