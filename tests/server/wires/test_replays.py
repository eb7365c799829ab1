"""Stored runs played back in every wire: the bytes that were sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.runtime.stores import pass_time
from tests.server.wires.told_runs import CLIENTS, Told, told_runs, without_comments
from tests.server.wires.ui_page import Page
from treadle.adapters.stores.sqlite import SqliteStore, runs_of
from treadle.adapters.system import SystemClock
from treadle.app.pause_keys import PauseKeys
from treadle.app.runner import Runner
from treadle.app.server import Server
from treadle.codec.pause_tokens import TokenKeys
from treadle.errors import PlanError
from treadle.runtime.thread_history import stored_run
from treadle.server.replaying import StoredRun, Tokens
from treadle.server.wires.replays import REPLAYS, responses
from treadle.testing.scenarios import scenario_agents
from treadle.values.ids import RunId


def replayed(wire: str, run: StoredRun, own: Mapping[str, str], keys: TokenKeys | None) -> list[bytes]:
    """The responses of a run, as a reader with these values was told them."""
    played = responses(wire, run, own=own, tokens=Tokens(run.state, keys))
    return ["".join(one.frames(run)).encode() for one in played]


async def kept(path: Path, told: Told) -> list[StoredRun]:
    """A run as its store has it; as an export has it, with facts and without."""
    named = RunId(told.run_id)
    async with SqliteStore.open(path, clock=SystemClock()) as store:
        runs = [StoredRun(*await stored_run(store, "default", named))]
        for with_facts in (True, False):
            lines = [line async for line in store.export("default", run_ids=[named], with_facts=with_facts)]
            runs += [StoredRun(*one) for one in runs_of(lines)]
    return runs


@pytest.mark.requirement("CLI-replay")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_run_is_told_again_byte_for_byte(client: str, tmp_path: Path) -> None:
    """docs/cli.md: whatever a wire was sent of a run, a replay says again, from its store and from a file."""
    wire, speak = CLIENTS[client]
    path = tmp_path / "runs.db"

    async def main() -> None:
        all_told = await told_runs(path, speak)
        keys = PauseKeys(f"sqlite:///{path}", {}).known
        assert keys is not None
        for told in all_told:
            for run in await kept(path, told):
                for number, (body, own) in enumerate(zip(told.bodies, told.own, strict=True)):
                    played = replayed(wire, run, own, keys)
                    assert len(played) == len(told.bodies), told.agent
                    assert played[number] == body, told.agent

    asyncio.run(main())


@pytest.mark.requirement("CLI-replay")
def test_a_page_that_comes_back_to_a_run_that_waits_is_told_it_whole(tmp_path: Path) -> None:
    """docs/cli.md: `resumed=true` of vercel, as its page is told what it may have missed."""
    path = tmp_path / "runs.db"

    async def main() -> tuple[bytes, StoredRun]:
        async with Server(scenario_agents(wait=pass_time), store=f"sqlite:///{path}") as server:
            page = await Page(server.asgi, agent="approval").send("x")
            await page.resume()
            assert page.call is not None
            run = (await server.runner.runs(limit=1))[0]
        (stored, *_) = await kept(path, Told(agent="approval", run_id=run.run_id, bodies=(), own=()))
        return without_comments(page.call.body), stored

    body, run = asyncio.run(main())
    assert replayed("vercel", run, {"resumed": "true"}, PauseKeys(f"sqlite:///{path}", {}).known) == [body]
    assert replayed("vercel", run, {}, None) != [body]


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run that waits for leave."""
    path = tmp_path_factory.mktemp("waiting") / "runs.db"

    async def main() -> StoredRun:
        async with Runner(scenario_agents(wait=pass_time), store=f"sqlite:///{path}") as runner:
            run = await runner.start("approval", "x", thread_id="t")
            await runner.wait(run.run_id)
        return (await kept(path, Told(agent="approval", run_id=run.run_id, bodies=(), own=())))[0]

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("wire", "own", "said"),
    [
        ("soap", {}, "no wire is called 'soap'; expected one of plain, plain-ndjson, agui"),
        ("agui", {"id": "1"}, "agui knows no 'id'; it knows thread_id (without it the run's thread); run_id"),
        ("plain", {"may_answer": "true"}, "plain knows no 'may_answer'"),
        ("agui", {"messages": "{}"}, "'messages' are what a client of AG-UI posts"),
        ("agui", {"messages": "]"}, "'messages' are what a client of AG-UI posts"),
        ("a2a", {"version": "2.0"}, "'version' is one of 1.0, 0.3, not '2.0'"),
        ("mcp", {"protocol_version": "1"}, "'protocol_version' is one of 2026-07-28, "),
        ("mcp", {"exposure": "all"}, "'exposure' is one of ui, text-only, opaque, not 'all'"),
        ("plain", {"follow": "me"}, "'follow' is one of run, segment"),
        ("vercel", {"reset_step": "yes"}, "'reset_step' is one of true, false"),
    ],
)
def test_what_a_wire_does_not_know_is_refused_with_what_it_knows(
    waiting: StoredRun, wire: str, own: Mapping[str, str], said: str
) -> None:
    """docs/cli.md: nothing is passed over, for then the bytes would not be those that were sent."""
    with pytest.raises(PlanError) as refused:
        replayed(wire, waiting, own, None)
    assert said in str(refused.value)


def test_what_is_a_readers_own_stands_in_the_frames(waiting: StoredRun) -> None:
    """docs/cli.md: each value changes what it is the value of."""
    keys = TokenKeys(bytes(range(32)))
    for wire in REPLAYS:
        plain = replayed(wire, waiting, {}, keys)
        assert len(plain) == 1
        for own in ({"may_answer": "false"}, {"exposure": "opaque"}):
            if not own.keys() <= REPLAYS[wire].own.keys():
                continue
            is_its_own = wire == "a2a" and "exposure" in own
            # Who may not answer is shown no pause's token; of A2A nobody is shown this one.
            is_same = is_its_own or (wire == "a2a" and "may_answer" in own)
            assert (replayed(wire, waiting, own, keys) == plain) == is_same, (wire, own)
    for wire, own in (
        ("agui", {"user_message_id": "mine", "messages": '[{"id": "1", "role": "user", "content": "x"}]'}),
        ("vercel", {"person": "publish", "page": "publish"}),
        ("openai-responses", {"starting_after": "2"}),
        ("mcp", {"id": "x", "progress_token": "5", "can_ask": "false", "runs_url": "https://here/v1/runs"}),
        ("mcp", {"protocol_version": "2025-06-18", "call": "4"}),
        ("a2a", {"id": '"7"', "binding": "rest", "version": "0.3", "details": "true", "history_length": "0"}),
        ("plain", {"integers": "text", "follow": "segment"}),
    ):
        assert len(replayed(wire, waiting, own, keys)) == 1
    assert b"thread of mine" in replayed("agui", waiting, {"thread_id": "thread of mine"}, keys)[0]
    assert b"id: 4:" in replayed("mcp", waiting, {"protocol_version": "2025-06-18", "call": "4"}, keys)[0]
    assert (
        replayed("openai-responses", waiting, {"starting_after": "2"}, keys)[0]
        in replayed("openai-responses", waiting, {}, keys)[0]
    )


def test_the_segments_of_kernel_events_are_the_run(tmp_path: Path) -> None:
    """Ours: but for what opens a stream, which stands before each."""

    async def main() -> StoredRun:
        path = tmp_path / "runs.db"
        told = next(one for one in await told_runs(path, CLIENTS["plain"][1]) if one.agent == "ask_user")
        return (await kept(path, told))[0]

    run = asyncio.run(main())
    (whole,) = replayed("plain-ndjson", run, {}, None)
    parts = replayed("plain-ndjson", run, {"follow": "segment"}, None)
    assert (len(parts), b"".join(parts)) == (2, whole)
