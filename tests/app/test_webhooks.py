"""What becomes of runs, told to an address."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest

from tests.runtime.agents import scripted, until
from tests.runtime.stores import LoopClock, paying, virtually
from tests.server.outbound.receivers import SECRET, Names, Received, receiving, rules
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.memory import MemoryStore
from treadle.adapters.system import SystemClock
from treadle.app import webhooks
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.app.webhooks import Webhook
from treadle.errors import ModelRefusedError
from treadle.ports.model import ModelRequest
from treadle.server.outbound.outbox import Outbox, Parcel
from treadle.values.ids import RunId
from treadle.values.model import ModelItem

URL = "http://hooks.example/runs"


class Kept:
    """Stands in for the outbox: keeps what it is given, and answers when it is let."""

    def __init__(self, *, holds: bool = False, fails: bool = False) -> None:
        self.parcels: list[Parcel] = []
        self.gate = asyncio.Event()
        self._fails = fails
        if not holds:
            self.gate.set()

    async def deliver(self, parcel: Parcel) -> bool:
        """Keep it."""
        self.parcels.append(parcel)
        await self.gate.wait()
        if self._fails:
            raise ZeroDivisionError
        return True

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was said."""
        return [json.loads(parcel.body) for parcel in self.parcels]


def hook(kept: Kept, **more: Any) -> Webhook:  # noqa: ANN401 (as of `Webhook`)
    """A webhook into this outbox."""
    return Webhook(URL, rules(), outbox=kept, **more)  # type: ignore[arg-type]  # what is asked of an outbox is there


async def rested(runner: Runner, run_id: RunId) -> None:
    """Wait until a run rests."""
    async for _ in runner.watch(run_id, to_end_of="segment"):
        pass


def sent_to(wait: Callable[[float], Awaitable[object]]) -> Outbox:
    """An outbox whose names lead to this machine."""
    names = Names({"hooks.example": [["127.0.0.1"]]})
    return Outbox(rules(timeout_s=5.0), clock=SystemClock(), resolve=names, wait=wait)


async def at_once(_: float) -> None:
    """Let no time pass."""
    await asyncio.sleep(0)


@pytest.mark.requirement("HOOK-body")
@virtually
async def test_a_run_that_ends_is_told_with_its_state_and_nothing_that_was_said() -> None:
    """Ours: a small body, no text by default, one id a run and segment."""
    kept = Kept()
    async with Runner([scripted("text: a secret")], observers=[hook(kept)]) as runner:
        run = await runner.start("a", "hi", thread_id="t1")
        await rested(runner, run.run_id)
        state = await runner.state(run.run_id)
    (body,) = kept.bodies
    at_s = body.pop("at_s")
    assert isinstance(at_s, float)
    assert body == {"event": "run.ended", "run_id": run.run_id, "thread_id": "t1", "agent": "a", "state": "done"}
    assert kept.parcels[0].message_id == f"{run.run_id}.{state.next_index - 1}"
    assert b"secret" not in kept.parcels[0].body


class Refuses:
    """A model whose provider refuses everything."""

    name = "refuses"

    async def ask(self, _: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Refuse."""
        raise ModelRefusedError("no such key", detail="keep this")
        yield []

    async def aclose(self) -> None:
        """Nothing is held."""


@virtually
async def test_a_run_that_fails_is_told_with_its_code_and_none_of_the_words() -> None:
    """Ours: a stable code; what a provider said stays here."""
    kept = Kept()
    async with Runner([Agent(name="a", model=Refuses())], observers=[hook(kept, text=True)]) as runner:
        run = await runner.start("a", "hi")
        await rested(runner, run.run_id)
    assert (kept.bodies[0]["state"], kept.bodies[0]["error_code"]) == ("error", "model_refused")
    assert "text" not in kept.bodies[0]
    assert b"keep this" not in kept.parcels[0].body


@pytest.mark.requirement("HOOK-paused")
@virtually
async def test_a_pause_is_told_and_then_the_end_each_under_an_id_of_its_own() -> None:
    """Ours: one delivery id a run and segment; a runner that comes later knows whose run it is."""
    store, kept = MemoryStore(clock=LoopClock()), Kept()
    async with Runner([paying()], store=store, observers=[hook(kept)]) as runner:
        run = await runner.start("a", "hi")
        await rested(runner, run.run_id)
    assert [(body["event"], body["state"]) for body in kept.bodies] == [("run.paused", "waiting")]
    async with Runner([paying()], store=store, observers=[hook(kept)]) as runner:
        await runner.cancel(run.run_id)
        await until(lambda: len(kept.parcels) == 2)
    assert [(body["event"], body["state"]) for body in kept.bodies][1:] == [("run.ended", "cancelled")]
    assert kept.bodies[1]["agent"] == "a"
    assert len({parcel.message_id for parcel in kept.parcels}) == 2


@virtually
async def test_only_what_is_asked_for_is_told_and_the_text_where_it_is_not_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ours: an exposure of its own."""
    ends, pauses = Kept(), Kept()
    monkeypatch.setattr(webhooks, "MOST_TEXT", 10)
    agents = [scripted("text: short"), Agent(name="long", model=ScriptedModel.from_text("text: longer than ten"))]
    watchers = [hook(ends, events=["ended"], text=True), hook(pauses, events=["paused"])]
    async with Runner(agents, observers=watchers) as runner:
        for name in ("a", "long"):
            run = await runner.start(name, "hi")
            await rested(runner, run.run_id)
    assert [body["text"] for body in ends.bodies] == ["short", None]
    assert pauses.parcels == []


@pytest.mark.requirement("HOOK-sent")
async def test_what_a_receiver_does_not_take_is_sent_again_signed_and_by_the_same_id() -> None:
    """Ours: fails twice, then takes it. Standard Webhooks' headers, checked as a receiver would."""
    waits: list[float] = []

    async def waited(seconds: float) -> None:
        waits.append(seconds)

    async with receiving(500, 503, 200) as receiver:
        url = f"http://hooks.example:{receiver.port}/runs?a=1"
        watcher = Webhook(url, rules(), outbox=sent_to(waited))
        async with Runner([scripted("text: ok")], observers=[watcher]) as runner:
            run = await runner.start("a", "hi")
            await rested(runner, run.run_id)
        assert (len(receiver.received), watcher.unsent) == (3, 0)
        assert len({one.headers["webhook-id"] for one in receiver.received}) == 1
        assert all(_is_ours(one) for one in receiver.received)
    assert waits == sorted(waits)
    assert len(waits) == 2


def _is_ours(one: Received) -> bool:
    signed = f"{one.headers['webhook-id']}.{one.headers['webhook-timestamp']}.".encode() + one.body
    mac = base64.b64encode(hmac.digest(SECRET, signed, "sha256")).decode()
    return one.headers["webhook-signature"] == f"v1,{mac}"


@pytest.mark.requirement("HOOK-guard")
async def test_no_redirect_is_followed_and_no_inner_address_is_called(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: a webhook leads nowhere else, and inwards only where that was allowed."""
    moved = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
    async with receiving(moved) as receiver:
        url = f"http://hooks.example:{receiver.port}/"
        open_one = Webhook(url, rules(), outbox=sent_to(at_once))
        names = Names({"hooks.example": [["127.0.0.1"]]})
        shut = Outbox(rules(networks=()), clock=SystemClock(), resolve=names, wait=at_once)
        shut_one = Webhook(url, rules(networks=()), outbox=shut)
        with caplog.at_level(logging.WARNING, "treadle.outbound"):
            async with Runner([scripted("text: ok")], observers=[open_one, shut_one]) as runner:
                run = await runner.start("a", "hi")
                await rested(runner, run.run_id)
        assert len(receiver.received) == 1
        assert names.asked == ["hooks.example"]
        assert "may not be called" in caplog.text


@pytest.mark.requirement("HOOK-harmless")
@virtually
async def test_a_receiver_that_is_slow_holds_up_no_run_and_a_runner_only_for_a_while(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Ours: never delays or harms a run."""
    kept = Kept(holds=True)
    with caplog.at_level(logging.WARNING, "treadle.webhooks"):
        async with Runner([scripted("text: ok")], observers=[hook(kept)]) as runner:
            for _ in range(3):
                run = await runner.start("a", "hi")
                await rested(runner, run.run_id)
    assert len(kept.parcels) == 3
    assert caplog.text.count("was not taken before this process stopped") == 3


@pytest.mark.requirement("HOOK-harmless")
@virtually
async def test_there_are_so_many_on_their_way_and_no_more_and_a_failure_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Ours: bounded; what cannot be sent is told to the operator."""
    monkeypatch.setattr(webhooks, "MOST_UNSENT", 2)
    kept = Kept(holds=True, fails=True)
    watcher = hook(kept)
    with caplog.at_level(logging.WARNING, "treadle.webhooks"):
        async with Runner([scripted("text: ok")], observers=[watcher]) as runner:
            for _ in range(3):
                run = await runner.start("a", "hi")
                await rested(runner, run.run_id)
            await until(lambda: len(kept.parcels) == 2)
            assert watcher.unsent == 2
            kept.gate.set()
    assert (len(kept.parcels), watcher.unsent) == (2, 0)
    assert caplog.text.count("is not sent: 2 are on their way") == 1
    assert caplog.text.count("could not be sent") == 2


@pytest.mark.requirement("HOOK-again")
@virtually
async def test_what_a_process_before_did_not_come_to_is_sent_again_by_the_same_id_and_body() -> None:
    """Ours: at least once after a crash, where somebody asks for it."""
    store, first, lost = MemoryStore(clock=LoopClock()), Kept(), Kept()
    async with Runner([paying()], store=store, observers=[hook(first)]) as runner:
        paused = await runner.start("a", "hi")
        await rested(runner, paused.run_id)
    async with Runner([scripted("text: ok")], store=store, observers=[hook(first)]) as runner:
        done = await runner.start("a", "hi")
        await rested(runner, done.run_id)
    again = hook(lost)
    assert await again.catch_up(store, since_s=0.0) == 2
    await again.settle()
    told = {parcel.message_id: parcel.body for parcel in first.parcels}
    assert {parcel.message_id: parcel.body for parcel in lost.parcels} == told
    later = (await store.state("default", done.run_id)).changed_s + 1
    assert await again.catch_up(store, since_s=later) == 0
    assert await again.catch_up(store, since_s=0.0, scope="another") == 0
    assert await hook(lost, events=["ended"]).catch_up(store, since_s=0.0) == 1
    await again.settle()


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("ftp://hooks.example/", {}),
        ("https://user:word@hooks.example/", {}),
        ("no url", {}),
        (URL, {"events": []}),
        (URL, {"events": "ended"}),
        (URL, {"events": ["begun"]}),
    ],
)
def test_a_webhook_that_could_never_be_sent_is_refused_when_it_is_made(url: str, more: dict[str, Any]) -> None:
    """Ours: bad input gets a clear error."""
    with pytest.raises(ValueError, match=r"expected|url"):
        Webhook(url, rules(), **more)
    with pytest.raises(ValueError, match="https"):
        Webhook("http://hooks.example/", rules(allow_http=False))
