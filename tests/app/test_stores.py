"""Where the name of a store becomes a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from treadle.adapters.stores.memory import MemoryStore
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.adapters.system import SystemClock
from treadle.app.stores import opened_store
from treadle.errors import PlanError, StoreOwnedError


async def test_a_store_object_is_handed_on() -> None:
    """Ours: whoever made it closes it."""
    given = MemoryStore(SystemClock())
    async with opened_store(given, SystemClock()) as store:
        assert store is given


async def test_memory_is_a_store_of_its_own_each_time() -> None:
    """Ours: nothing outlives it."""
    async with opened_store("memory://", SystemClock()) as one, opened_store("memory://", SystemClock()) as other:
        assert isinstance(one, MemoryStore)
        assert one is not other


async def test_a_path_is_a_file_that_one_process_owns(tmp_path: Path) -> None:
    """Design §6: owner by file lock; it is free again when the store is closed."""
    name = f"sqlite:///{tmp_path / 'runs.db'}"
    async with opened_store(name, SystemClock()) as store:
        assert isinstance(store, SqliteStore)
        with pytest.raises(StoreOwnedError):
            async with opened_store(name, SystemClock()):
                pass
    async with opened_store(name, SystemClock()):
        assert (tmp_path / "runs.db").is_file()


@pytest.mark.parametrize(
    "name", ["", "sqlite://", "sqlite:///", "sqlite:/x", "postgres://h/d", "memory", "memory:///x"]
)
async def test_any_other_name_is_refused(name: str) -> None:
    """Ours: with what was expected and what came."""
    with pytest.raises(PlanError) as refused:
        async with opened_store(name, SystemClock()):
            pass
    assert repr(name) in str(refused.value)
