"""Whoever reads may stop being allowed to, in the middle of a stream: over the whole application."""

from __future__ import annotations

import pytest

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, pass_time, virtually
from tests.server.calls import Call, ask, started
from tests.server.test_delivery import endings
from treadle.app.server import Server
from treadle.server.access.api_keys import ApiKeys
from treadle.server.access.principal import Principal
from treadle.server.pulse import Rhythm

SHOP, BANK = Principal(name="till", scope="shop"), Principal(name="desk", scope="bank")
KEY, OTHER = "a-key-of-the-shop-1", "a-key-of-the-bank-1"
SHOWS, OTHER_SHOWS = ("x-api-key", KEY), ("x-api-key", OTHER)
RECHECK_S = 2.0


@pytest.mark.requirement("ACCESS-recheck")
@pytest.mark.parametrize("by_ticket", [False, True])
@virtually
async def test_a_stream_whose_reader_is_revoked_ends_without_an_end_and_cannot_be_taken_up(by_ticket: bool) -> None:  # noqa: FBT001 (a parameter of the test)
    """Issue: re-check of authorisation on long streams. Another reader of the same run is not touched."""
    agent, keys = scripted(GATED), ApiKeys({KEY: SHOP, "another-key-of-the-shop": SHOP, OTHER: BANK})
    async with Server([agent], access=keys, rhythm=Rhythm(recheck_s=RECHECK_S)) as server:
        run_id = await started(server.asgi, "hi", SHOWS)
        events = f"/v1/runs/{run_id}/events"
        shown: tuple[tuple[str, str], ...] = (SHOWS,)
        ticket = (await ask(server.asgi, "POST", f"/v1/runs/{run_id}/ticket", SHOWS)).json["ticket"]
        target = f"{events}?ticket={ticket}" if by_ticket else events
        async with (
            Call(server.asgi, "GET", target, *(() if by_ticket else shown)) as call,
            Call(server.asgi, "GET", events, ("x-api-key", "another-key-of-the-shop")) as other,
        ):
            await call.until(call.said("text_delta"))
            await pass_time(2 * RECHECK_S)
            assert not call.is_complete
            keys.revoke(KEY)
            await pass_time(2 * RECHECK_S)
            await call.over()
            assert (call.is_complete, call.kinds[-1]) == (True, "text_delta")
            assert endings(server) == {"revoked": 1}
            behind = ("last-event-id", call.ids[-1])
            for headers in ((SHOWS, behind), (OTHER_SHOWS, behind), (behind,)):
                back = await ask(server.asgi, "GET", events, *headers)
                assert back.status == (404 if headers[0] is OTHER_SHOWS else 401)
            again = await ask(server.asgi, "GET", f"{events}?ticket={ticket}&after={call.ids[-1]}")
            assert (again.status, again.json["code"]) == (401, "ticket_refused" if by_ticket else "unauthenticated")
            model_of(agent).open_gate("go")
            await other.over()
        assert (other.text, other.kinds[-1]) == ("It is 3.", "done")
