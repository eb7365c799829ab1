"""Work that outlives a request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.runtime.stores import pass_time, virtually
from treadle.errors import CapError
from treadle.server.errands import Errand, Errands


@virtually
async def test_errands_have_time_to_end_and_those_that_wait_have_not() -> None:
    """Ours: every task has an owner who waits for it, but not for what may never come."""
    errands, ended = Errands(), list[str]()

    def lasting(name: str, seconds: float, *, idle: bool = False) -> Callable[[Errand], Coroutine[Any, Any, None]]:
        async def last(errand: Errand) -> None:
            errand.is_idle = idle
            try:
                await pass_time(seconds)
                ended.append(name)
            finally:
                ended.append(f"{name} over")

        return last

    errands.begin(lasting("settles", 0.1, idle=True), name="settles")
    errands.begin(lasting("waits", 1.0, idle=True), name="waits")
    errands.begin(lasting("short", 2.0), name="short")
    errands.begin(lasting("long", 100.0), name="long")
    assert len(errands) == 4
    await pass_time(0.0)
    await errands.end(grace_s=3.0)
    assert ended == ["settles", "settles over", "waits over", "short", "short over", "long over"]
    await pass_time(0.0)
    assert len(errands) == 0
    await errands.end(grace_s=3.0)


@virtually
async def test_an_errand_that_fails_harms_no_other() -> None:
    """Ours: it is logged; nobody waits for what it raises."""
    errands = Errands()

    async def failing(_: Errand) -> None:
        raise RuntimeError("no")

    errands.begin(failing, name="failing")
    await errands.end(grace_s=1.0)
    assert len(errands) == 0


async def test_there_are_no_more_errands_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: every queue has a bound."""
    monkeypatch.setattr("treadle.server.errands.MOST", 1)
    errands, begun = Errands(), asyncio.Event()

    async def waiting(_: Errand) -> None:
        await begun.wait()

    one = errands.begin(waiting, name="one")
    with pytest.raises(CapError):
        errands.begin(waiting, name="two")
    one.stop()
    await errands.end(grace_s=0.0)
    Errand().stop()
