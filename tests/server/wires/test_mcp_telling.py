"""How the streams of MCP are framed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.legal_logs import LegalRun, legal_runs
from tests.projections.mcp.calls import SESSION, payloads, telling
from treadle.framing.sse import SseEvent, SseParser
from treadle.server.wires.mcp_sessions import SessionCall
from treadle.server.wires.mcp_telling import (
    NumberedRun,
    Numbering,
    as_events,
    broken,
    numbered_telling,
    place_in,
    plain_form,
    plain_telling,
    said_once,
    session_form,
)
from treadle.values.exposure import UI
from treadle.values.ids import RunId

RUN = RunId("r1")


def events_of(run: LegalRun, *, told: int = -1) -> list[SseEvent]:
    """The events of a call in a session behind the event that was told last."""
    fold = NumberedRun(run.run_id, Numbering(telling=telling(SESSION), number=3, told=told))
    lines = [line for stretch in run.stretches for line in fold.payloads(stretch)]
    return SseParser().feed(as_events(lines).encode())


@pytest.mark.requirement("MCP-resume")
@given(run=legal_runs)
def test_each_message_is_an_event_and_the_last_of_each_event_of_ours_has_an_id(run: LegalRun) -> None:
    """Design law 7: a cursor stands on a whole event."""
    events = events_of(run)
    assert [event.data.decode() for event in events] == payloads(run.stretches, telling(SESSION))
    ids = [event.event_id for event in events if event.event_id]
    assert all(one.startswith("3:") for one in ids)
    assert [int(one[2:]) for one in ids] == sorted(int(one[2:]) for one in ids)


@pytest.mark.requirement("MCP-resume")
@given(run=legal_runs, data=st.data())
def test_whoever_comes_back_is_told_what_lies_behind_the_last_id(run: LegalRun, data: st.DataObject) -> None:
    """Promise 4: replay and live meet without a gap or a repeat."""
    events = events_of(run)
    at = data.draw(st.integers(0, len(events) - 1))
    place = place_in(events[at].event_id or "3:-1")
    assert place is not None
    rest = events_of(run, told=place[1])
    # What has no id of its own yet is said again with the rest of its event.
    seen = max((number for number, event in enumerate(events[: at + 1]) if _stands(events, number)), default=-1) + 1
    assert [event.data for event in rest] == [event.data for event in events[seen:]]


def _stands(events: list[SseEvent], number: int) -> bool:
    """Whether an event has an id that is its own."""
    before = events[number - 1].event_id if number else ""
    return bool(events[number].event_id) and events[number].event_id != before


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("3:17", (3, 17)),
        ("1:-1", (1, -1)),
        ("0:1", None),
        ("1:-2", None),
        ("1", None),
        ("x:1", None),
        ("1:1\n", None),
        ("١:1", None),
    ],
)
def test_a_place_is_a_call_and_an_event(text: str, place: tuple[int, int] | None) -> None:
    """Ours: what a client sends back is read strictly."""
    assert place_in(text) == place


@pytest.mark.requirement("MCP-resume")
@pytest.mark.parametrize(
    ("version", "early"),
    [("2025-11-25", b"id: 3:-1\ndata: \n\n"), ("2025-06-18", b": treadle\n\n"), ("2024-11-05", b": treadle\n\n")],
)
def test_a_stream_begins_with_the_place_before_its_first_event(version: str, early: bytes) -> None:
    """MCP 2025-11-25: an event with an id and no data; clients of before could not read one."""
    assert session_form(SessionCall(3, RUN, telling(version))).early == early
    assert plain_form(telling()).early == b": treadle\n\n"


@pytest.mark.requirement("MCP-errors")
def test_a_stream_that_this_side_ends_closes_with_an_error_under_the_call_s_id() -> None:
    """Ours: a stream that only ends is taken for a broken one."""
    call = SessionCall(3, RUN, telling(SESSION))
    for form in (session_form(call), plain_form(telling())):
        assert form.broken is not None
        (event,) = SseParser().feed(form.broken("stopping"))
        said = json.loads(event.data)
        assert (said["id"], said["error"]["code"], said["error"]["data"]) == (7, -32010, {"code": "stopping"})
    assert broken(telling(), "stopping") == form.broken("stopping")


@pytest.mark.requirement("MCP-due")
def test_a_call_that_was_given_up_closes_with_its_result() -> None:
    """Ours: what was asked and not answered ends the call."""
    call = SessionCall(3, RUN, telling(SESSION))
    call.give_up('{"id":7}')
    form = session_form(call)
    assert form.broken is not None
    assert form.broken("decision_due") == b'data: {"id":7}\n\n'


def test_readers_who_are_told_the_same_share_and_others_do_not() -> None:
    """Design 8: readers share frames at most under one key."""
    call = SessionCall(3, RUN, telling(SESSION))
    assert numbered_telling(call, UI) == numbered_telling(call, UI)
    assert numbered_telling(call, UI) != numbered_telling(call, UI, told=4)
    assert plain_telling(telling(), UI) != plain_telling(telling(id_json="8"), UI)


def test_one_answer_is_kept_by_nobody() -> None:
    """MCP: JSON in place of a stream."""
    answer = said_once('{"é":1}', status=404, headers={"x-a": "b"})
    assert (answer.status_code, answer.body) == (404, '{"é":1}'.encode())
    assert (answer.headers["cache-control"], answer.headers["x-a"]) == ("no-store", "b")
    assert answer.headers["content-type"] == "application/json"
