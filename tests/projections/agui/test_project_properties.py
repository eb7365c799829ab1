"""For all runs that could have happened: what a client of AG-UI is told is in order, and all of it.

The judge here is `rules`, the client's own rules in Python; the client itself is asked in test_official_client.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.agui.client import Client
from tests.projections.agui.expected import arguments_of, said_in
from tests.projections.agui.rules import read, violations
from tests.projections.agui.tellings import TELLING, client_of, come_back, events_of_runs, solid, told
from tests.projections.legal_logs import LegalRun, legal_runs
from tests.projections.log_cuts import recut
from treadle.values.exposure import Exposure, PauseExposure, ToolExposure, exposed_stretches
from treadle.values.stretches import Stretch

cuts = st.integers(0, 999)
exposures = st.builds(
    Exposure,
    tools=st.sampled_from(ToolExposure),
    thinking=st.booleans(),
    usage=st.booleans(),
    extensions=st.sampled_from([frozenset(), frozenset({"chart", "note"})]),
    extracted=st.booleans(),
    pauses=st.sampled_from(PauseExposure),
)


@pytest.mark.requirement("AGUI-cuts")
@given(run=legal_runs, cut=cuts)
def test_however_the_log_is_cut_the_same_is_told(run: LegalRun, cut: int) -> None:
    """Ours: a store may cut a log anywhere, and a second reader of the same log is told the same."""
    for after in (-1, *said_in(run.events).closings[:-1]):
        telling = replace(TELLING, after=after, snapshots=True)
        assert told(recut(run.stretches, cut), telling) == told(run.stretches, telling)


@pytest.mark.requirement("AGUI-rules", "AGUI-brackets")
@given(run=legal_runs)
def test_no_rule_of_the_client_is_broken(run: LegalRun) -> None:
    """Spec: verifyEvents, rules 1 to 6 (BR-096, BR-102, BR-103)."""
    for events in events_of_runs(run):
        assert violations(events) == []


@pytest.mark.requirement("AGUI-held")
@given(run=legal_runs)
def test_a_client_holds_what_the_log_says(run: LegalRun) -> None:
    """Ours: shown = stored: text, thinking, calls with arguments and results, and each ending."""
    said, client = said_in(run.events), client_of(events_of_runs(run))
    assert client.text == said.text == run.end.outcome.text  # type: ignore[union-attr]  # a log rests at a closing event
    assert client.thinking == said.thinking
    calls = client.calls
    assert {named: name for named, (name, _, _) in calls.items()} == said.names
    results = {one["toolCallId"]: one["metadata"]["status"] for one in client.messages if one["role"] == "tool"}
    assert results == said.results
    for named, (_, text, _) in calls.items():
        if named in said.arguments:
            assert text == said.arguments[named]
        elif named in said.given:
            assert arguments_of(text) == said.given[named]
    assert [_verdict(ending) for ending in client.endings] == said.endings


@pytest.mark.requirement("AGUI-attach", "BR-170")
@given(run=legal_runs, lot=st.integers(0, 2**16), cut=cuts)
def test_who_attaches_anywhere_holds_in_the_end_what_the_others_hold(run: LegalRun, lot: int, cut: int) -> None:
    """Ours: a page that is loaded again misses nothing and repeats nothing, wherever it was (BR-169, BR-170, BR-172).

    It held whatever it had been told by an earlier event, and is told nothing twice.
    """
    back = come_back(run, lot, cut=cut)
    client = Client(messages=back.held)
    for events in back.runs:
        assert violations(events) == []
        client.take(events)
    everything = client_of(events_of_runs(run))
    assert without_results(client.messages) == without_results(everything.messages)
    # A message that a client has not stands behind those it has: a result may come behind what was said after its call.
    assert client.calls == everything.calls
    assert client.text == said_in(run.events).text


@pytest.mark.requirement("AGUI-snapshot", "BR-169")
@given(run=legal_runs)
def test_a_snapshot_changes_nothing_for_who_saw_everything(run: LegalRun) -> None:
    """A fault reported in the field (BR-169): each message keeps its streamed id, its split and its place."""
    client = client_of(events_of_runs(run))
    held = [dict(one) for one in client.messages]
    last = run.events[-1].index
    telling = replace(TELLING, after=last, rests=True, snapshots=True)
    client.take(read(told(run.stretches, telling)))
    assert solid(client.messages) == solid(held)


@pytest.mark.requirement("AGUI-exposure")
@given(run=legal_runs, exposure=exposures, cut=cuts)
def test_brackets_stay_balanced_under_every_exposure(run: LegalRun, exposure: Exposure, cut: int) -> None:
    """Ours: what a mount hides leaves no bracket open and none closed that was not opened."""
    for after in (-1, *said_in(run.events).closings[:-1]):
        shown: list[Stretch] = [one for part in recut(run.stretches, cut) for one in exposed_stretches(part, exposure)]
        whole = [one for part in run.stretches for one in exposed_stretches(part, exposure)]
        telling = replace(TELLING, after=after, snapshots=after >= 0)
        events = told(shown, telling)
        assert violations(read(events)) == []
        assert events == told(whole, telling)


def without_results(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Solid messages but the results of calls."""
    return [one for one in solid(messages) if one["role"] != "tool"]


def _verdict(ending: object) -> str:
    assert isinstance(ending, dict)
    if ending["type"] == "RUN_ERROR":
        return "error"
    return {"success": "done", "interrupt": "paused", "cancelled": "cancelled"}[ending["outcome"]["type"]]
