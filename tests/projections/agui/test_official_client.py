"""The official client, on runs that could have happened: it refuses nothing, and holds what the log says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from tests.projections.agui.client import Client
from tests.projections.agui.expected import arguments_of, said_in
from tests.projections.agui.rules import Event
from tests.projections.agui.tellings import USER, client_of, come_back, events_of_runs, solid
from tests.projections.legal_logs import LegalRun, legal_run
from tests.projections.node_clients import folder_with, judged
from tests.projections.soaking import laps

CLIENTS = folder_with("@ag-ui/client")
RUNS = 500
LAP = 1_000

pytestmark = pytest.mark.skipif(
    CLIENTS is None,
    reason="platform: the official client is not installed here (TREADLE_CLIENTS, or `treadle conformance agui`)",
)


def thread_of(runs: Sequence[Sequence[Event]], held: Sequence[dict[str, Any]] = (USER,)) -> dict[str, Any]:
    """A thread as the client lives it: each of its runs answers the interrupts of the one before."""
    thread: list[dict[str, Any]] = []
    for number, events in enumerate(runs):
        one: dict[str, Any] = {"frames": events, "run_id": f"run-{number}"}
        asked = runs[number - 1][-1].get("outcome", {}).get("interrupts", []) if number else []
        if asked:
            one["resume"] = [{"interruptId": interrupt["id"], "status": "cancelled"} for interrupt in asked]
        thread.append(one)
    return {"messages": list(held), "runs": thread}


def problems(run: LegalRun, verdict: Any) -> list[str]:  # noqa: ANN401 (any JSON)
    """Where what the client holds is not what the log says."""
    said, ours = said_in(run.events), client_of(events_of_runs(run))
    told = {
        "refused": (verdict["refused"], None),
        "warnings": (verdict["warnings"], []),
        "endings": ([ending["verdict"] for ending in verdict["endings"]], said.endings),
        "text": (verdict["text"], said.text),
        "thinking": (verdict["thinking"], said.thinking),
        "tools": ({call["id"]: call["name"] for call in verdict["tools"]}, said.names),
        "results": (
            {call["id"]: call["metadata"]["status"] for call in verdict["tools"] if call["metadata"]},
            said.results,
        ),
        "messages": (solid(verdict["messages"]), solid(ours.messages)),
    }
    arguments = {call["id"]: call["args"] for call in verdict["tools"]}
    told["arguments"] = ({named: arguments[named] for named in said.arguments}, said.arguments)
    whole = {named: given for named, given in said.given.items() if named not in said.arguments and named in said.names}
    told["given"] = ({named: arguments_of(arguments[named]) for named in whole}, whole)
    return [f"{name}: {came!r:.300} is not {wanted!r:.300}" for name, (came, wanted) in told.items() if came != wanted]


def asked(seeds: Iterable[int]) -> Counter[str]:
    """Ask the client about runs, in one process; how their threads ended."""
    assert CLIENTS is not None
    runs = [legal_run(seed) for seed in seeds]
    verdicts = judged("verify_agui.mjs", CLIENTS, [thread_of(events_of_runs(run)) for run in runs])
    wrong = {run.seed: found for run, verdict in zip(runs, verdicts, strict=True) if (found := problems(run, verdict))}
    assert not wrong, f"{len(wrong)} of {len(runs)} runs: " + json.dumps(dict(list(wrong.items())[:3]), indent=2)
    return Counter(verdict["verdict"] for verdict in verdicts)


@pytest.mark.slow
@pytest.mark.requirement("AGUI-official")
def test_it_takes_every_run_and_holds_what_the_log_says() -> None:
    """Promise: strict clients accept every stream (the client's own verifier and reducer)."""
    endings = asked(range(RUNS))
    assert min(endings[one] for one in ("done", "error", "cancelled", "paused")) >= RUNS // 15


@pytest.mark.slow
@pytest.mark.requirement("AGUI-official", "AGUI-attach")
def test_it_comes_back_to_every_run_as_our_own_client_does() -> None:
    """Ours: the client that the properties are tried with holds what the official one holds, wherever it comes back."""
    assert CLIENTS is not None
    backs = [come_back(legal_run(seed), seed) for seed in range(RUNS)]
    verdicts = judged("verify_agui.mjs", CLIENTS, [thread_of(back.runs, back.held) for back in backs])
    for seed, (back, verdict) in enumerate(zip(backs, verdicts, strict=True)):
        ours = Client(messages=[dict(one) for one in back.held])
        for events in back.runs:
            ours.take(events)
        assert (seed, verdict["refused"], verdict["warnings"]) == (seed, None, [])
        assert (seed, verdict["messages"]) == (seed, ours.messages)


@pytest.mark.slow
@pytest.mark.requirement("AGUI-official")
def test_it_refuses_what_is_broken() -> None:
    """Ours: a judge that lets everything pass is none."""
    assert CLIENTS is not None
    events = events_of_runs(legal_run(1))[0]
    broken = {
        "no start": events[1:],
        "no end of a message": [
            event for event in events if event["type"] not in ("TEXT_MESSAGE_END", "STEP_FINISHED")
        ],
        "null": [{**event, "timestamp": None} for event in events],
        "after the end": [*events, events[1]],
        "no end": events[:-1],
    }
    verdicts = judged("verify_agui.mjs", CLIENTS, broken.values())
    told = dict(zip(broken, [verdict["verdict"] for verdict in verdicts], strict=True))
    assert told.pop("no end") == "truncated"
    assert set(told.values()) == {"rejected"}


@pytest.mark.soak
@pytest.mark.requirement("AGUI-official")
def test_it_takes_ten_thousand_runs() -> None:
    """Promise: strict clients accept every stream, over generated runs (TREADLE_SOAK_SEED draws others)."""
    for seeds in laps(LAP):
        asked(seeds)
