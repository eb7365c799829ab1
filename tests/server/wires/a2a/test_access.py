"""Every route of the wire, asked by everybody: what is answered to whom."""

from __future__ import annotations

from typing import Final

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from tests.server.calls import JSON, ask
from tests.server.wires.a2a.agents_asked import NEW, OLD, message
from treadle.app.server import Server
from treadle.projections.a2a.rpc import Operation
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.mounting import Mount
from treadle.server.routes import OpenRoute, Row
from treadle.server.wires.a2a import routes

OWNER, FOREIGN, COUNTER = "key-of-owner-0123456789", "key-of-foreign-0123456789", "key-of-counter-0123456789"
ACCESS = ApiKeys(
    {
        OWNER: Principal(name="owner", scope="acme"),
        FOREIGN: Principal(name="foreign", scope="globex"),
        COUNTER: Principal(name="counter", scope="acme", may=[Action.METRICS]),
    }
)
ROWS: Final = routes(Mount(wire="a2a"))
GUARDED: Final = [row for row in ROWS if not isinstance(row, OpenRoute)]


def named(row: Row) -> str:
    """What a row is called."""
    return f"{row.method} {row.path}"


def test_the_card_alone_is_open() -> None:
    """Reference: only the card is anonymous."""
    assert {row.path.rpartition("/")[2] for row in ROWS if isinstance(row, OpenRoute)} == {
        "agent-card.json",
        "agent.json",
    }


@pytest.mark.requirement("A2A-foreign", "D39")
@pytest.mark.parametrize("row", GUARDED, ids=named)
@virtually
async def test_each_route_is_answered_as_far_as_its_caller_may(row: Row) -> None:
    """Design §9: who asks is found out before what is there; foreign and absent are the same."""
    version = OLD if "/v1/" in row.path else NEW
    async with Server([scripted("text: ok")], access=ACCESS) as server:
        sent = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message()}
        made = await ask(server.asgi, "POST", "/a2a/a", JSON, NEW, ("x-api-key", OWNER), body=sent)
        task = made.json["result"]["task"]["id"]

        async def told(key: str | None, *, agent: str = "a", run_id: str = task) -> int:
            path = row.path.format(agent=agent, run_id=run_id, target_id="1")
            shown = [] if key is None else [("x-api-key", key)]
            body = sent if row.path == "/a2a/{agent}" else b"{}"
            return (await ask(server.asgi, row.method, path, JSON, version, *shown, body=body)).status

        assert await told(None) == await told(None, agent="nobody") == await told("key-of-a-stranger-0123456789") == 401
        is_about = "{run_id}" in row.path
        if is_about:
            assert await told(FOREIGN) == await told(OWNER, run_id="r_absent") == 404
        if row.path.endswith(("/tasks", ":cancel", ":subscribe", "{run_id}", "pushNotificationConfigs")):
            assert await told(COUNTER) == 403


@pytest.mark.requirement("A2A-foreign")
@pytest.mark.parametrize("operation", [one for one in Operation if one is not Operation.EXTENDED_CARD])
@virtually
async def test_each_operation_of_json_rpc_asks_whether_its_caller_may(operation: Operation) -> None:
    """Design §9: the path of JSON-RPC has no action; each operation asks before it does anything."""
    async with Server([scripted("text: ok")], access=ACCESS) as server:
        params = {"id": "r_1", "taskId": "r_1", "url": "https://a.example", **message()}
        body = {"jsonrpc": "2.0", "id": 1, "method": operation.value, "params": params}
        call = await ask(server.asgi, "POST", "/a2a/a", JSON, NEW, ("x-api-key", COUNTER), body=body)
        assert (call.status, call.json["error"]["code"]) == (403, -32000)
        assert list(await server.runner.runs()) == []
