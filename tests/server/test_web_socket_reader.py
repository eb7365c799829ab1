"""One run that is read on a socket, beside others, over the whole application, in virtual time."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, LoopClock, StoreInHand, pass_time, virtually
from tests.server.calls import started
from tests.server.test_delivery import endings
from tests.server.test_web_socket import LONG, QUICK, SHOP, lines
from tests.server.web_sockets import SocketCall
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.errors import RunLogError
from treadle.server.access import Principal
from treadle.server.access.admission import Caps


@pytest.mark.requirement("SOCKET-fair")
@virtually
async def test_a_long_run_does_not_hold_up_a_short_one() -> None:
    """Ours: turns go round between the runs of a socket, a block at a time."""
    agents = [scripted(LONG), Agent(name="b", model=ScriptedModel.from_text("text: short"))]
    async with Server(agents) as server:
        long = await started(server.asgi)
        short = await started(server.asgi, agent="b")
        await lines(server, long)
        await lines(server, short)
        async with SocketCall(server.asgi) as call:
            call.read(long)
            call.read(short)
            await call.until_over(long, short)
        before = call.came[: call.came.index({"type": "over", "run_id": short, "reason": "read"})]
        assert len(before) < len(call.came) // 2
        assert call.events(long) == await lines(server, long)


@virtually
async def test_a_run_that_is_left_before_it_was_begun_gives_its_place_back() -> None:
    """Ours: what is read and left in one breath holds nothing."""
    async with Server([scripted(GATED)], caps=Caps(readers=1)) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            for _ in range(3):
                call.read(run_id)
                call.say(type="leave", run_id=run_id)
            await call.until(lambda call: len(call.told("over")) == 3)
            assert (server.readers, call.told("refused")) == (0, [])


@pytest.mark.parametrize("first", [True, False])
@virtually
async def test_leaving_while_a_send_is_under_way_lets_it_come_to_its_end(first: bool) -> None:  # noqa: FBT001 (a parameter of the test)
    """Ours: no message is broken off but by the end of the socket, and what was left waits for nothing more."""
    agent = scripted("text: It \ngate: one\ntext: is \ngate: two\ntext: 3.")
    async with Server([agent]) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            if first:
                call.freeze()
                call.read(run_id)
            else:
                call.read(run_id)
                await call.until(lambda call: call.text(run_id) == "It ")
                call.freeze()
                model_of(agent).open_gate("one")
            await pass_time(1.0)
            call.say(type="leave", run_id=run_id)
            await pass_time(1.0)
            call.thaw()
            await call.until_over(run_id)
            assert call.told("over") == [{"type": "over", "run_id": run_id, "reason": "left"}]
            assert call.text(run_id) == ("" if first else "It is ")
        assert server.readers == 0


@pytest.mark.parametrize("by_speech", [True, False])
@virtually
async def test_a_connection_that_is_lost_ends_every_reader(by_speech: bool) -> None:  # noqa: FBT001 (a parameter of the test)
    """Ours: some servers say it with the next send, and with nothing before."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=QUICK) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            call.read(run_id)
            await call.until(lambda call: call.text(run_id) == "It ")
            call.lose()
            if by_speech:
                model_of(agent).open_gate("go")
            await call.over()
        assert (server.readers, endings(server)) == (0, {"left": 1})


@pytest.mark.requirement("SOCKET-broken")
@virtually
async def test_a_log_that_cannot_be_read_ends_its_run_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: failed like a stream, and the client is told of which run."""
    store = StoreInHand(MemoryStore(clock=LoopClock()))
    async with Server([scripted("text: ok")], store=store) as server:
        good, bad = await started(server.asgi), await started(server.asgi)
        await lines(server, good)
        await lines(server, bad)
        real = store.inner.read

        async def read(scope: str, run_id: str, *args: Any, **more: Any) -> Any:  # noqa: ANN401 (as the port has it)
            if run_id == bad:
                raise RunLogError("nothing is heard of the store")
            return await real(scope, run_id, *args, **more)

        with caplog.at_level(logging.CRITICAL, "treadle.server"):
            store.inner.read = read
            async with SocketCall(server.asgi) as call:
                call.read(bad)
                call.read(good)
                await call.until_over(bad, good)
            store.inner.read = real
        assert {one["run_id"]: one["reason"] for one in call.told("over")} == {bad: "internal", good: "read"}
        assert call.text(good) == "ok"


@virtually
async def test_an_access_that_breaks_in_mid_read_lets_nobody_go_on(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: whoever may not be asked about is not let go on, however that failed."""
    breaks = False

    async def access(_: Any) -> Principal:  # noqa: ANN401 (any connection)
        if breaks:
            raise ZeroDivisionError
        return SHOP

    with caplog.at_level(logging.CRITICAL, "treadle.server"):
        async with Server([scripted(GATED)], access=access, rhythm=QUICK) as server:
            run_id = await started(server.asgi)
            async with SocketCall(server.asgi) as call:
                call.read(run_id)
                await call.until(lambda call: call.text(run_id) == "It ")
                breaks = True
                await call.until_over(run_id)
            assert call.told("over")[0]["reason"] == "forbidden"
