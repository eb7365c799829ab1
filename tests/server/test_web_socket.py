"""Several runs on one socket, over the whole application, in virtual time."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.routing import Mount, Router

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, pass_time, until, virtually
from tests.server.calls import NDJSON, ask, started
from tests.server.test_delivery import endings
from tests.server.web_sockets import SocketCall
from treadle.app.server import Server
from treadle.server import web_socket
from treadle.server.access import ApiKeys, Principal
from treadle.server.access.admission import Caps
from treadle.server.access.sites import Sites
from treadle.server.pulse import HEARTBEAT_S, Rhythm
from treadle.server.web_socket import MAX_RUNS, PATH
from treadle.server.web_socket_messages import MAX_MESSAGE_BYTES
from treadle.testing.virtual_time import run_virtually

QUICK = Rhythm(heartbeat_s=1.0, frozen_s=5.0, recheck_s=2.0)
LONG = "text: " + "|".join(f"{number} " for number in range(3000))
SHOP, BANK = Principal(name="till", scope="shop"), Principal(name="desk", scope="bank")
KEY, OTHER = "a-key-of-the-shop-1", "a-key-of-the-bank-1"
SHOWS = ("x-api-key", KEY)


async def lines(server: Server, run_id: str, *headers: tuple[str, str]) -> list[dict[str, Any]]:
    """A run as the lines of its stream."""
    whole = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events", NDJSON, *headers)
    return [json.loads(line) for line in whole.body.decode().split("\n") if line]


def came(most: int, runs: int, call: SocketCall) -> bool:
    """Whether so many messages have come, or so many runs are over."""
    return len(call.came) >= most or len(call.told("over")) == runs


@pytest.mark.requirement("SOCKET-runs")
@virtually
async def test_several_runs_are_read_on_one_socket_each_as_its_lines_say_it() -> None:
    """Ours: one socket, several runs, the same events as NDJSON with their cursors."""
    async with Server([scripted("text: It |is 3.")]) as server:
        runs = [await started(server.asgi, f"question {number}") for number in range(3)]
        async with SocketCall(server.asgi) as call:
            for run_id in runs:
                call.read(run_id)
            await call.until_over(*runs)
        for run_id in runs:
            assert call.events(run_id) == await lines(server, run_id)
            assert {"type": "reading", "run_id": run_id} in call.came
            assert call.came.index({"type": "reading", "run_id": run_id}) < call.came.index(call.events(run_id)[0])
        assert [one["reason"] for one in call.told("over")] == ["read"] * 3
        assert (call.is_accepted, call.close, server.readers) == (True, None, 0)
        assert endings(server) == {"read": 3 + 3}


@virtually
async def test_a_server_that_is_mounted_has_its_socket_below_its_path() -> None:
    """Ours: three lines mount all of it."""
    server = Server([scripted("text: ok")])
    async with server:
        run_id = await started(server.asgi)
        async with SocketCall(Router([Mount("/agents", server.asgi)]), path=f"/agents{PATH}") as call:
            call.read(run_id)
            await call.until_over(run_id)
        assert call.text(run_id) == "ok"


@pytest.mark.requirement("SOCKET-cursor")
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_is_cut_and_taken_up_again_each_run_comes_dense_and_whole(data: st.DataObject) -> None:
    """Ours: for any interleaving of several runs, and any cut, what comes before it and after it is the run."""

    async def main() -> None:
        async with Server([scripted('text: a|b|c\ncall: add {"a": 1, "b": 2}\n---\ntext: d|e')]) as server:
            runs = [await started(server.asgi, f"question {number}") for number in range(3)]
            had: dict[str, list[dict[str, Any]]] = {run_id: [] for run_id in runs}
            is_over = dict.fromkeys(runs, False)
            while not all(is_over.values()):
                asked = data.draw(st.permutations([run_id for run_id in runs if not is_over[run_id]]))
                most = data.draw(st.integers(1, 30))
                async with SocketCall(server.asgi) as call:
                    for run_id in asked:
                        call.read(run_id, follow="run", after=had[run_id][-1]["cursor"] if had[run_id] else None)
                    await call.until(partial(came, most, len(asked)))
                    if leaves := data.draw(st.sampled_from([*asked, ""])):
                        call.say(type="leave", run_id=leaves)
                for run_id in asked:
                    had[run_id] += call.events(run_id)
                    is_over[run_id] = any(
                        one["reason"] == "read" for one in call.told("over") if one["run_id"] == run_id
                    )
            for run_id in runs:
                assert had[run_id] == await lines(server, run_id)
                assert [one["index"] for one in had[run_id]] == [*range(len(had[run_id]))]

    run_virtually(main())


@virtually
async def test_a_pause_ends_what_was_read_of_a_segment_and_following_the_run_goes_on() -> None:
    """Ours: `follow` as on the stream."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            call.read(run_id, follow="run")
            await call.until(lambda call: call.text(run_id) == "It ")
            model_of(agent).open_gate("go")
            await call.until_over(run_id)
            assert call.text(run_id) == "It is 3."
            call.read(run_id, after=call.events(run_id)[-1]["cursor"])
            await call.until(lambda call: len(call.told("over")) == 2)
        assert [one["type"] for one in call.came if "kind" not in one] == ["reading", "over", "reading", "over"]


@pytest.mark.requirement("SOCKET-leave")
@virtually
async def test_leaving_a_run_on_a_socket_is_a_readers_leaving_and_the_socket_goes_on() -> None:
    """Ours: leaving = a reader leaves; the run's own rule says what that does."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        kept = await started(server.asgi)
        left = await started(server.asgi, on_disconnect="cancel")
        async with SocketCall(server.asgi) as call:
            call.read(kept)
            call.read(left)
            await call.until(lambda call: call.text(kept) == call.text(left) == "It ")
            call.say(type="leave", run_id=left)
            await call.until_over(left)
            assert call.told("over") == [{"type": "over", "run_id": left, "reason": "left"}]
            await until(lambda: server.readers == 1)
            view = (await ask(server.asgi, "GET", f"/v1/runs/{left}")).json
            while view["state"] != "cancelled":
                await pass_time(0.1)
                view = (await ask(server.asgi, "GET", f"/v1/runs/{left}")).json
            model_of(agent).open_gate("go")
            await call.until_over(kept)
        assert call.text(kept) == "It is 3."


@virtually
async def test_a_leave_is_always_answered_and_the_run_may_be_read_again_at_once() -> None:
    """Ours: wishes are heard one after the other, so nobody has to wait for an answer before the next."""
    async with Server([scripted(GATED)]) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            call.read(run_id)
            await call.until(lambda call: call.text(run_id) == "It ")
            call.say(type="leave", run_id=run_id)
            call.read(run_id, after=call.events(run_id)[-1]["cursor"])
            call.say(type="leave", run_id=run_id)
            call.say(type="leave", run_id=run_id)
            call.say(type="leave", run_id="r_that_nobody_reads")
            call.read(run_id)
            await call.until(lambda call: call.text(run_id) == "It It ")
        assert [one["reason"] for one in call.told("over")] == ["left"] * 4
        assert call.told("refused") == []


@pytest.mark.requirement("SOCKET-bounds")
@virtually
async def test_each_run_takes_a_readers_place_and_a_socket_reads_so_many_and_none_twice() -> None:
    """Ours: one reader place of the caps per run read; a bound of runs per socket."""
    async with Server([scripted(GATED)], caps=Caps(readers=MAX_RUNS + 1)) as server:
        runs = [await started(server.asgi, f"question {number}") for number in range(MAX_RUNS + 2)]
        async with SocketCall(server.asgi) as call, SocketCall(server.asgi) as other:
            for run_id in runs[: MAX_RUNS + 1]:
                call.read(run_id)
            call.read(runs[0])
            await call.until(lambda call: len(call.told("refused")) == 2)
            assert [(one["code"], one["run_id"]) for one in call.told("refused")] == [
                ("too_many_readers", runs[MAX_RUNS]),
                ("bad_request", runs[0]),
            ]
            assert call.told("refused")[1]["pointer"] == "/run_id"
            assert server.readers == MAX_RUNS
            other.read(runs[-1])
            await other.until(lambda call: call.told("reading"))
            other.read(runs[-2])
            await other.until(lambda call: call.told("refused"))
            assert other.told("refused")[0]["code"] == "too_many_readers"
        assert (server.readers, endings(server)) == (0, {"left": MAX_RUNS + 1})


@virtually
async def test_there_are_no_more_sockets_than_readers_in_all() -> None:
    """Ours: also a socket that reads nothing holds something."""
    async with Server([scripted(GATED)], caps=Caps(all_readers=2)) as server:
        async with SocketCall(server.asgi) as one, SocketCall(server.asgi) as two:
            await one.until(lambda call: call.is_accepted)
            await two.until(lambda call: call.is_accepted)
            async with SocketCall(server.asgi) as third:
                await third.over()
            assert (third.status, json.loads(third.body)["code"]) == (429, "too_many_readers")
            assert int(third.headers["retry-after"]) > 0
        async with SocketCall(server.asgi) as again:
            await again.until(lambda call: call.is_accepted)


@virtually
async def test_what_is_no_wish_is_refused_and_the_socket_goes_on() -> None:
    """Ours: bad input gets a clear error and loses nothing."""
    async with Server([scripted("text: ok")]) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            call.say_text("nonsense")
            call.read("r_of_nobody")
            call.read(run_id, after="1:999")
            call.read(run_id, after="never a cursor")
            call.read(run_id)
            await call.until_over(run_id)
        assert [(one["code"], one["run_id"]) for one in call.told("refused")] == [
            ("bad_request", None),
            ("run_not_found", "r_of_nobody"),
            ("bad_cursor", run_id),
            ("bad_cursor", run_id),
        ]
        assert all(one["reference"].startswith("e_") and one["message"] for one in call.told("refused"))
        assert call.text(run_id) == "ok"


@pytest.mark.requirement("SOCKET-bounds")
@pytest.mark.parametrize(
    ("said", "close"),
    [
        ("x" * (MAX_MESSAGE_BYTES + 1), (1009, "body_too_large")),
        ("ä" * (MAX_MESSAGE_BYTES // 2 + 1), (1009, "body_too_large")),
        (b"{}", (1003, "bad_request")),
    ],
)
@virtually
async def test_a_message_that_is_too_large_or_no_text_closes_the_socket(
    said: str | bytes, close: tuple[int, str]
) -> None:
    """Ours: a bound of message size; RFC 6455's codes."""
    async with Server([scripted(GATED)]) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            call.read(run_id)
            await call.until(lambda call: call.text(run_id) == "It ")
            call.say_bytes(said) if isinstance(said, bytes) else call.say_text(said)
            await call.over()
        assert (call.close, server.readers, endings(server)) == (close, 0, {"left": 1})


@pytest.mark.requirement("SOCKET-quiet")
@virtually
async def test_silence_is_broken_and_a_socket_on_which_nothing_is_read_is_closed() -> None:
    """Ours: a heartbeat after 3 s from the one timer; nobody holds a socket for nothing."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=Rhythm(recheck_s=20.0)) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            call.read(run_id)
            await call.until(lambda call: call.text(run_id) == "It ")
            since_s = call.times[-1]
            await pass_time(45.0)
            alive = [
                at_s - since_s for at_s, one in zip(call.times, call.came, strict=True) if one == {"type": "alive"}
            ]
            assert len(alive) == 13
            assert alive[0] == pytest.approx(HEARTBEAT_S, abs=0.3)
            assert call.close is None
            model_of(agent).open_gate("go")
            await call.until_over(run_id)
            await call.over()
        assert (call.close, call.text(run_id)) == ((1000, "idle"), "It is 3.")


@pytest.mark.requirement("SOCKET-frozen")
@virtually
async def test_a_client_that_takes_nothing_is_ended_and_misses_nothing() -> None:
    """Ours: frozen sockets ended, as streams are, without a word."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=QUICK) as server:
        first, second = await started(server.asgi), await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            call.read(first)
            call.read(second)
            await call.until(lambda call: call.text(first) == call.text(second) == "It ")
            call.freeze()
            call.say(type="leave", run_id="r_that_nobody_reads")
            await call.over()
            assert (call.close, server.readers, endings(server)) == (None, 0, {"frozen": 2})
        model_of(agent).open_gate("go")
        async with SocketCall(server.asgi) as back:
            for run_id in (first, second):
                back.read(run_id, after=call.events(run_id)[-1]["cursor"])
            await back.until_over(first, second)
        for run_id in (first, second):
            assert call.events(run_id) + back.events(run_id) == await lines(server, run_id)


@virtually
async def test_a_connection_that_is_lost_before_it_is_accepted_is_over() -> None:
    """Ours: nothing is left of it."""
    async with Server([scripted(GATED)]) as server, SocketCall(server.asgi) as call:
        call.lose()
        await call.over()
    assert not call.is_accepted


@pytest.mark.requirement("SOCKET-stop")
@virtually
async def test_a_server_that_stops_says_so_and_each_run_goes_on_elsewhere() -> None:
    """Ours: drained like a stream; 1001 is RFC 6455's going away."""
    async with Server([scripted(GATED)], rhythm=Rhythm(drain_s=1.0)) as server:
        run_id = await started(server.asgi)
        async with SocketCall(server.asgi) as call:
            call.read(run_id)
            await call.until(lambda call: call.text(run_id) == "It ")
            await server.drain()
            await call.over()
        assert (call.close, call.told("over"), endings(server)) == ((1001, "stopping"), [], {"drained": 1})


# ---------------------------------------------------------------- access


@pytest.mark.requirement("SOCKET-access")
@virtually
async def test_who_asks_is_asked_at_the_handshake_and_at_every_read() -> None:
    """Ours: the same choke point; a run of somebody else is not there."""
    keys = ApiKeys({KEY: SHOP, OTHER: BANK, "a-key-that-reads-not": Principal(name="x", scope="shop", may={"start"})})
    async with Server([scripted(GATED)], access=keys, rhythm=QUICK) as server:
        run_id = await started(server.asgi, "hi", SHOWS)
        async with (
            SocketCall(server.asgi, SHOWS) as call,
            SocketCall(server.asgi, ("x-api-key", OTHER)) as foreign,
            SocketCall(server.asgi, ("x-api-key", "a-key-that-reads-not")) as unable,
            SocketCall(server.asgi, ("x-api-key", "a-key-of-nobody-here")) as stranger,
        ):
            await stranger.over()
            assert (stranger.status, stranger.is_accepted) == (401, False)
            for one in (call, foreign, unable):
                one.read(run_id)
            await foreign.until(lambda call: call.told("refused"))
            await unable.until(lambda call: call.told("refused"))
            await call.until(lambda call: call.text(run_id) == "It ")
            assert (foreign.told("refused")[0]["code"], foreign.events(run_id)) == ("run_not_found", [])
            assert unable.told("refused")[0]["code"] == "forbidden"
            keys.revoke(KEY)
            await call.until_over(run_id)
            assert call.told("over") == [{"type": "over", "run_id": run_id, "reason": "forbidden"}]
            call.read(run_id)
            await call.until(lambda call: call.told("refused"))
            assert call.told("refused")[0]["code"] == "unauthenticated"
        assert endings(server) == {"revoked": 1}


@pytest.mark.requirement("SOCKET-access")
@virtually
async def test_strangers_take_no_places_of_those_who_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: anybody can open a socket without a credential, for a ticket that may never come."""
    monkeypatch.setattr(web_socket, "STRANGERS", 1)
    async with Server([scripted(GATED)], access=ApiKeys({KEY: SHOP}), rhythm=QUICK) as server:
        async with SocketCall(server.asgi) as first:
            await first.until(lambda call: call.is_accepted)
            async with SocketCall(server.asgi) as second, SocketCall(server.asgi, SHOWS) as known:
                await second.over()
                assert (second.status, json.loads(second.body)["code"]) == (429, "too_many_readers")
                await known.until(lambda call: call.is_accepted)
        async with SocketCall(server.asgi) as again:
            await again.until(lambda call: call.is_accepted)


@pytest.mark.requirement("SOCKET-access")
@virtually
async def test_a_browser_without_headers_reads_by_tickets_each_of_which_opens_one_run_once() -> None:
    """Ours: a ticket in the message opens that one run, and ends with the credential behind it."""
    keys = ApiKeys({KEY: SHOP})
    async with Server([scripted(GATED)], access=keys, rhythm=QUICK) as server:
        first, second = await started(server.asgi, "a", SHOWS), await started(server.asgi, "b", SHOWS)
        tickets = [
            (await ask(server.asgi, "POST", f"/v1/runs/{run_id}/ticket", SHOWS)).json["ticket"]
            for run_id in (first, second)
        ]
        async with SocketCall(server.asgi) as call:
            call.read(first)
            call.read(first, ticket=tickets[0])
            await call.until(lambda call: call.text(first) == "It ")
            call.read(second, ticket=tickets[0])
            call.read(second, ticket="forged")
            call.read(second, ticket=tickets[1])
            await call.until(lambda call: call.text(second) == "It ")
            assert [one["code"] for one in call.told("refused")] == [
                "unauthenticated",
                "ticket_refused",
                "ticket_refused",
            ]
            keys.revoke(KEY)
            await call.until_over(first, second)
        assert {one["reason"] for one in call.told("over")} == {"forbidden"}


@pytest.mark.requirement("SOCKET-guards")
@virtually
async def test_a_handshake_of_a_foreign_page_host_or_machine_is_refused_with_and_without_a_body() -> None:
    """Ours: the guards stand before sockets too; a server that cannot say more closes before the acceptance."""
    foreign = [
        ({"headers": [("origin", "https://evil.example")]}, 403),
        ({"headers": [("host", "evil.example")]}, 421),
        ({"client": ("203.0.113.9", 1)}, 401),
        ({"path": "/v1/runs"}, 404),
    ]
    async with Server([scripted("text: ok")], sites=Sites(origins=["https://ours.example"])) as server:
        for more, status in foreign:
            kinds: dict[str, Any] = {name: value for name, value in more.items() if name != "headers"}
            headers: Any = more.get("headers", [])
            async with SocketCall(server.asgi, *headers, **kinds) as call:
                await call.over()
            assert (call.status, call.is_accepted) == (status, False)
            async with SocketCall(server.asgi, *headers, extensions=(), **kinds) as call:
                await call.over()
            assert call.close is not None
            assert (call.close[0], call.is_accepted) == (1008, False)
        async with SocketCall(server.asgi, ("origin", "https://ours.example"), path=PATH) as call:
            await call.until(lambda call: call.is_accepted)
