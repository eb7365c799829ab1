"""What is stored of a run, and what a run is told of its thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.agents import scripted
from tests.runtime.logs import REQUEST, RULES, RUN, SCOPE, Hand, started_event
from tests.runtime.stores import virtually
from treadle.errors import RecordFormatError
from treadle.runtime import thread_history
from treadle.runtime.served import ServedAgent
from treadle.runtime.thread_history import history_of, loaded, stored_run
from treadle.testing.virtual_time import run_virtually
from treadle.values import events as ev
from treadle.values.facts import RequestKept, RoundOpened, TurnKept
from treadle.values.ids import RunId
from treadle.values.mappings import Json
from treadle.values.model import ModelTurn
from treadle.values.requests import HistoryMessage, TurnMessage, UserMessage
from treadle.values.runs import RunState, RunStatus
from treadle.values.stretches import SpeechStretch, Stretch, entries_of


class Sealing:
    """A model whose turns carry a seal."""

    name = "m"

    def dump(self, payload: Any, /) -> Json:  # noqa: ANN401 (an adapter's own object)
        """As it is stored."""
        return {"seal": payload}

    def load(self, value: Json, /) -> Any:  # noqa: ANN401 (an adapter's own object)
        """As it was."""
        if "seal" not in value:
            raise RecordFormatError("no seal")
        return value["seal"]


def served(**more: Any) -> ServedAgent:  # noqa: ANN401 (fields of it)
    """An agent of that model."""
    return replace(scripted("text: ok").served(), **{"model": Sealing(), **more})


async def ended_run(hand: Hand, run_id: str, payload: Json, model: str = "m", prompt: str = "1+2?") -> None:
    """A run of the thread that is over, with one turn."""
    named = RunId(run_id)
    await hand.create(named)
    await hand.own()
    rules, request = replace(RULES, model=model), replace(REQUEST, run_id=named, prompt=prompt)
    kept = hand.entries(RequestKept(request=request, rules=rules))
    started = hand.entries(replace(started_event(0), run_id=named))
    turned = hand.entries(
        RoundOpened(round=1, attempt=1), TurnKept(round=1, attempt=1, turn=ModelTurn(text="3", payload=payload))
    )
    await hand.write(kept, started, turned, hand.done("3"), status=RunStatus.DONE)


async def told(hand: Hand, agent: ServedAgent) -> tuple[HistoryMessage, ...]:
    """What a new run of the thread is told."""
    await hand.create(RunId("new"))
    return await history_of(hand.store, await hand.store.state(SCOPE, RunId("new")), agent)


@virtually
async def test_earlier_runs_are_told_oldest_first_with_their_payload() -> None:
    """Design law 5: finished turns raw, so that seals hold."""
    hand = Hand()
    await ended_run(hand, "r1", {"seal": "s1"}, prompt="one")
    await ended_run(hand, "r2", None, prompt="two")
    assert await told(hand, served()) == (
        UserMessage(text="one"),
        TurnMessage(turn=ModelTurn(text="3", payload="s1")),
        UserMessage(text="two"),
        TurnMessage(turn=ModelTurn(text="3")),
    )


@pytest.mark.parametrize(("payload", "model"), [({"seal": "s1"}, "another"), ({"other": 1}, "m")])
@virtually
async def test_a_payload_goes_to_the_model_that_made_it_or_to_none(payload: Json, model: str) -> None:
    """Design §4: an adapter's own object; another agent of the thread is told the words alone."""
    hand = Hand()
    await ended_run(hand, "r1", payload, model)
    assert (await told(hand, served()))[1] == TurnMessage(turn=ModelTurn(text="3"))


@virtually
async def test_the_latest_runs_are_told_and_none_that_came_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a bound on what is read; a run that is taken over is told what it was told first."""
    monkeypatch.setattr(thread_history, "RUNS", 2)
    hand = Hand()
    for number in range(4):
        await ended_run(hand, f"r{number}", None, prompt=str(number))
    assert [one.text for one in await told(hand, served()) if isinstance(one, UserMessage)] == ["2", "3"]
    earlier = await history_of(hand.store, await hand.store.state(SCOPE, RunId("r2")), served())
    assert [one.text for one in earlier if isinstance(one, UserMessage)] == ["0", "1"]
    alone = replace(await hand.store.state(SCOPE, RunId("r2")), thread_id="")
    assert await history_of(hand.store, alone, served()) == ()


@virtually
async def test_a_payload_of_ones_own_that_cannot_be_read_is_an_error() -> None:
    """Ours: a run is not rebuilt from half of what it knew."""
    hand = Hand()
    await ended_run(hand, "r1", {"other": 1})
    _, stretches = await stored_run(hand.store, SCOPE, RUN)
    with pytest.raises(RecordFormatError):
        list(loaded(entries_of(stretches, RUN), served().load_payload))


@virtually
async def test_deleted_facts_leave_the_events() -> None:
    """Design law 5: facts may be deleted on their own."""
    hand = Hand()
    await ended_run(hand, "r1", None)
    await hand.store.delete(SCOPE, RUN, facts_only=True)
    _, stretches = await stored_run(hand.store, SCOPE, RUN)
    assert [entry.kind for entry in entries_of(stretches, RUN)] == ["run_started", "done"]


class Joining:
    """A store whose rows of a passage are joined between two pages, and whose log has grown since its state was read.

    A page ends after `limit` events, and its rows begin where they begin in the log of then.
    """

    def __init__(self, rows: Sequence[Stretch], state: RunState) -> None:
        self._rows = rows
        self._state = state

    async def state(self, *_: object) -> RunState:
        """As it was some time ago."""
        return self._state

    async def read(self, _: str, __: RunId, after: int, *, limit: int) -> list[Stretch]:
        """Rows of events from after + 1 to after + limit, and the facts among them."""
        page: list[Stretch] = []
        for row in self._rows:
            if row.index > after + limit:
                break
            if isinstance(row, SpeechStretch):
                texts = row.texts[: after + limit + 1 - row.index]
                page += [replace(row, texts=texts)] if row.index + len(texts) > after + 1 else []
            elif row.index + row.events > after:
                page.append(row)
        return page


@given(cuts=st.lists(st.integers(1, 5), min_size=1, max_size=8), page=st.integers(1, 7), late=st.integers(0, 6))
def test_a_log_is_read_whole_though_its_rows_are_joined_meanwhile(cuts: list[int], page: int, late: int) -> None:
    """Ours: each record comes once, up to the state that is given with them, however the rows lie by then."""

    async def main() -> None:
        hand = Hand()
        await hand.create()
        await hand.own()
        await hand.write(*hand.begun())
        for passage, cut in enumerate(cuts, 1):
            for _ in range(cut):
                await hand.write(hand.said("x", "y", passage=passage))
            facts = [RoundOpened(round=passage, attempt=at) for at in range(cut)]
            await hand.write(hand.entries(*facts[:1], hand.event(ev.Stage, stage_id="s", phase="p"), *facts[1:]))
        state = await hand.store.state(SCOPE, RUN)
        rows = await hand.store.read(SCOPE, RUN, -1, limit=1000)
        count = state.next_seq - late
        store = Joining(rows, replace(state, next_seq=count))
        _, stretches = await stored_run(store, SCOPE, RUN)  # type: ignore[arg-type]  # what is asked of it
        assert list(entries_of(stretches, RUN)) == list(entries_of(rows, RUN))[:count]
        assert [stretch.seq for stretch in stretches] == _seqs(stretches)
        lost = Joining(rows, replace(state, next_seq=state.next_seq + 3))
        _, stretches = await stored_run(lost, SCOPE, RUN)  # type: ignore[arg-type]  # what is asked of it
        assert list(entries_of(stretches, RUN)) == list(entries_of(rows, RUN))

    before = thread_history.SLICE
    try:
        thread_history.SLICE = page  # type: ignore[misc]  # a small page for a small log
        run_virtually(main())
    finally:
        thread_history.SLICE = before  # type: ignore[misc]  # as it was


def _seqs(stretches: Sequence[Stretch]) -> list[int]:
    """Where each of these stretches begins, if none is missing."""
    return list(accumulate([stretch.records for stretch in stretches[:-1]], initial=0))
