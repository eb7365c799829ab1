"""Runs of a store to its threads."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tests.cli.test_run_listing import SCOPE, begun, created
from treadle.adapters.stores.memory import MemoryStore
from treadle.cli.thread_listing import PAGE, ListedThread, for_people, for_scripts, threads
from treadle.testing.fake_clock import FakeClock


async def test_each_thread_is_listed_once_with_its_newest_run() -> None:
    """docs/cli.md: the one spoken in last first; a run without a thread is in none."""
    store = MemoryStore(FakeClock())
    await begun(store, "r1", prompt="1+2?")
    await created(store, "r2", thread="t2")
    await created(store, "r3")
    found = await threads(store, SCOPE)
    assert [(one.thread_id, one.runs, one.last.state.run_id, one.last.asked) for one in found] == [
        ("t2", 1, "r2", ""),
        ("t_r1", 1, "r1", "1+2?"),
    ]
    assert await threads(store, "other") == []


async def test_more_runs_than_a_page_are_all_counted() -> None:
    """Ours: nothing is lost where one page ends."""
    for count in (PAGE, PAGE + 1, 2 * PAGE):
        store = MemoryStore(FakeClock())
        for number in range(count):
            await created(store, f"r{number}", thread=f"t{number}")
        assert len(await threads(store, SCOPE)) == count


@given(st.text(max_size=5))
def test_a_thread_is_one_line_in_both_forms(name: str) -> None:
    """Ours: a thread is called what its caller likes."""

    async def listed() -> list[ListedThread]:
        store = MemoryStore(FakeClock(now_s=0.0))
        await created(store, "r1", thread=f"t{name}")
        return await threads(store, SCOPE)

    found = asyncio.run(listed())
    assert len(for_people(found, terminal=False).splitlines()) == 2
    assert len(for_scripts(found).splitlines()) == 1
