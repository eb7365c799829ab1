"""Checks that a scope sees its own runs, and no sign of any other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from treadle.errors import FencedError, RunNotFoundError
from treadle.testing.conformance.stores.bench import SCOPE, SHORT_S, TTL_S, Bench, soon
from treadle.testing.conformance.stores.check import check
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import OnBusyThread, RunStatus

BOB = "bob"
RUN = RunId("r1")
NAMES_ALIKE = (BOB, "", "Alice", "alice ", "alic", "alice%", "ALICE")


@check()
async def a_run_is_not_there_for_another_scope(bench: Bench) -> None:
    """Not to read, to look at, to speak to or to listen to: as if it had never been."""
    lease, script = await bench.own()
    await bench.append(lease, script.speech("a"))
    asks: list[Callable[[str], Awaitable[object]]] = [
        lambda scope: bench.store.read(scope, RUN, -1, limit=10),
        lambda scope: bench.store.state(scope, RUN),
        lambda scope: bench.store.inbox(scope, RUN),
        lambda scope: bench.store.send(scope, RUN, key="k1", kind="cancel"),
    ]
    for ask in asks:
        for scope in NAMES_ALIKE:
            with pytest.raises(RunNotFoundError):
                await ask(scope)
    assert await bench.keys() == []


@check()
async def to_wait_for_a_run_of_another_scope_tells_nothing(bench: Bench) -> None:
    """It is not found, or the wait passes."""
    lease, script = await bench.own()
    await bench.append(lease, script.speech("a"))
    with suppress(RunNotFoundError):
        await soon(bench.store.wait(BOB, RUN, -1, timeout_s=SHORT_S))


@check()
async def a_scope_lists_its_own_runs(bench: Bench) -> None:
    """By no thread, status or page does another's show."""
    await bench.create("r1", thread_id=ThreadId("t1"))
    await bench.create("r2", thread_id=ThreadId("t1"), scope=BOB)
    for scope, name in ((SCOPE, "r1"), (BOB, "r2")):
        for fields in ({}, {"thread_id": ThreadId("t1")}, {"statuses": [RunStatus.READY]}):
            found = await bench.store.find(scope, **fields)
            assert [(run.scope, run.run_id) for run in found] == [(scope, name)]
    assert list(await bench.store.find("")) == []


@check()
async def a_run_of_another_scope_cannot_be_deleted(bench: Bench) -> None:
    """Live or final, whole or its facts: there is none, and it is still there."""
    lease, script = await bench.own()
    assert await bench.store.delete(BOB, RUN) is False
    await bench.append(lease, script.facts(1), script.done(), status=RunStatus.DONE)
    assert await bench.store.delete(BOB, RUN) is False
    assert await bench.store.delete(BOB, RUN, facts_only=True) is False
    assert len(await bench.log()) == 2


@check()
async def a_lease_is_of_its_scope(bench: Bench) -> None:
    """The right to write a run says nothing about a run of the same name elsewhere."""
    lease, script = await bench.own()
    forged = replace(lease, scope=BOB)
    with pytest.raises((FencedError, RunNotFoundError)):
        await bench.append(forged, script.speech("a"))
    with pytest.raises((FencedError, RunNotFoundError)):
        await bench.store.renew(forged, ttl_s=TTL_S)
    assert await bench.log() == []


@check()
async def names_are_the_scopes_own(bench: Bench) -> None:
    """Run, thread and key of the same name stand beside each other; nobody learns what another has by taking a name."""
    mine: dict[str, object] = {"thread_id": ThreadId("t1"), "key": "k1"}
    await bench.create("r1", **mine)
    await bench.create("r1", scope=BOB, digest="d2", request=b"bob's", on_busy=OnBusyThread.REJECT, **mine)
    assert (await bench.state("r1")).request == b"1+2?"
    assert (await bench.state("r1", BOB)).request == b"bob's"
    first, second = await bench.claim(), await bench.claim()
    assert first is not None
    assert second is not None
    assert {first.scope, second.scope} == {SCOPE, BOB}
    await bench.send("k1")
    assert list(await bench.store.inbox(BOB, RUN)) == []


@check()
async def a_run_that_replaces_another_reaches_its_own_scope_alone(bench: Bench) -> None:
    """A cancel is not sent to another's run in a thread of the same name."""
    thread = ThreadId("t1")
    await bench.create("r1", thread_id=thread)
    await bench.create("r2", thread_id=thread, scope=BOB, on_busy=OnBusyThread.CANCEL_PREVIOUS)
    assert await bench.keys("r1") == []
