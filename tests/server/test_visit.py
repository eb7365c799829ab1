"""Letting requests in. Who may ask where is in test_routes.py."""

from __future__ import annotations

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from tests.server.calls import ask, started
from treadle.app.server import Server
from treadle.server.access.principal import Principal


@virtually
async def test_two_principals_of_one_scope_see_the_same_runs_and_have_keys_of_their_own() -> None:
    """Issue: the scope decides whose runs are seen; an idempotency key is a principal's own."""
    names = iter(["alice", "bob", "alice", "bob"])
    server = Server([scripted("text: ok")], access=lambda _: Principal(name=next(names), scope="acme"))
    async with server:
        first = await started(server.asgi, key="k")
        second = await started(server.asgi, key="k")
        again = await started(server.asgi, key="k")
        assert (again, first != second) == (first, True)
        listed = (await ask(server.asgi, "GET", "/v1/runs")).json["runs"]
    assert {run["run_id"] for run in listed} == {first, second}


@virtually
async def test_the_same_thread_name_in_two_scopes_is_two_threads() -> None:
    """Design §8: ids that a client sends are names in its scope, never rights."""
    scopes = iter(["acme", "globex", "acme"])
    async with Server([scripted("text: ok")], access=lambda _: Principal(name="x", scope=next(scopes))) as server:
        first = await started(server.asgi, thread_id="t")
        await started(server.asgi, thread_id="t")
        thread = (await ask(server.asgi, "GET", "/v1/threads/t")).json
    assert [run["run_id"] for run in thread["runs"]] == [first]
