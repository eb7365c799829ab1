"""The wish that a stored run stops."""

from __future__ import annotations

import pytest

from tests.cli.test_run_listing import SCOPE, created
from treadle.adapters.stores.memory import MemoryStore
from treadle.cli.run_cancelling import CARRIED_OUT, said, wish
from treadle.codec.sent_cancels import load_cancel
from treadle.errors import RunFinalError, RunNotFoundError
from treadle.testing.fake_clock import FakeClock
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus


async def test_a_wish_is_taken_in_once_and_kept_in_the_inbox() -> None:
    """Design §6: once for each key; the worker of a runner knows it by this kind."""
    store = MemoryStore(FakeClock())
    await created(store, "r1")
    assert await wish(store, SCOPE, RunId("r1"), principal="ann")
    assert not await wish(store, SCOPE, RunId("r1"), principal="ann")
    (message,) = await store.inbox(SCOPE, RunId("r1"))
    assert (message.key, message.kind) == ("cancel", "cancel")
    asked = load_cancel(message.body).asked
    assert asked is not None
    assert asked.by == "ann"


async def test_a_run_that_has_ended_or_is_not_there_hears_nothing() -> None:
    """Design §6: refused when the run is final."""
    store = MemoryStore(FakeClock())
    await created(store, "r1")
    lease = await store.claim("w", plans=[""], ttl_s=60.0)
    assert lease is not None
    await store.append(lease, (), status=RunStatus.DONE)
    with pytest.raises(RunFinalError):
        await wish(store, SCOPE, RunId("r1"), principal="ann")
    with pytest.raises(RunNotFoundError):
        await wish(store, "other", RunId("r1"), principal="ann")


def test_what_came_of_it_is_one_line() -> None:
    """docs/cli.md: whether it was accepted, and that it is not cancelled yet."""
    assert said(RunId("r1"), is_new=True) == f"cancel accepted: r1; {CARRIED_OUT}\n"
    assert said(RunId("r\x1b"), is_new=False) == f"cancel accepted before: r\\x1b; {CARRIED_OUT}\n"
