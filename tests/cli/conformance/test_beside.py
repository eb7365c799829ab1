"""Two reports of one client, of our server and of a control, held against each other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conformance.kits import control, report
from treadle.cli.conformance.beside import Comparison, compared, differing, not_compared, told
from treadle.cli.conformance.cells import Act, Beside, Row, Stated
from treadle.projections.a2a.wire import EXTENSION

pytestmark = pytest.mark.requirement("CONF-beside")
TEXT = Row("text")
ASIDE = Beside(control=control())
Events = list[dict[str, Any]]


def _status(state: str, *words: str, **more: object) -> dict[str, Any]:
    message = {"message": [{"text": word} for word in words]} if words else {}
    return {"e": "status", "state": state, **message, **more}


def _task(state: str, *, text: str = "", artifacts: int = 0) -> Events:
    """A whole task: itself, what it restates, its status."""
    pieces = [{"e": "text", "id": "response", "d": text, "n": 1}] if text else []
    return [{"e": "task", "state": state, "artifacts": artifacts, "history": 1}, *pieces, _status(state)]


def _text(*pieces: str) -> Events:
    return [{"e": "text", "id": "response", "d": piece, "n": 1} for piece in pieces]


def _report(events: Events, text: str = "", **more: object) -> dict[str, Any]:
    aggregated = [{"artifact_id": "response", "parts": 1, "text": text}]
    task = {"id": "t", "artifacts": [{"artifactId": "response", "parts": [{"text": text}]}]}
    return report(events=events, text=text, aggregated=aggregated, **{"task": task, **more})


def _fields(row: Row, here: dict[str, Any], there: dict[str, Any]) -> list[str]:
    return [one.field for one in differing(row, here, there)]


PLAIN = _report([*_task("SUBMITTED"), _status("WORKING"), *_text("a b"), _status("COMPLETED")], "a b")


@given(text=st.text(min_size=1), cuts=st.lists(st.integers(0, 30), max_size=4), name=st.text())
def test_how_a_text_is_cut_and_what_things_are_called_is_no_difference(text: str, cuts: list[int], name: str) -> None:
    """docs/matrix.md: alike is the same but for ids, times, and the pieces that text is cut into."""

    def say(pieces: list[str], name: str) -> dict[str, Any]:
        ids = {"taskId": name, "contextId": name, "messageId": name}
        pause = {"interrupt_id": name, "expires_at": name, "kind": "ask_user"}
        asked = {"kind": "ask", "items": [{"data": {"pauses": [pause]}}], "resume_with": ids}
        history = [{**ids, "parts": [{"text": "hi"}], "extensions": [name]}]
        events = [
            *_task("SUBMITTED"), *_text(*pieces),
            _status("FAILED", "no", metadata={"reference": name}, message_metadata={EXTENSION: {"tokens": name}}),
        ]  # fmt: skip
        kept = {**ids, "id": name, "status": {"timestamp": name}, "history": history}
        return _report(events, text, pause=asked, ids=ids, http={"requests": [name]}, card=name, task=kept)

    at = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[one:other] for one, other in pairwise(at)]
    assert _fields(TEXT, say([text], "ours"), say(pieces, name)) == []


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("verdict", {"verdict": "error"}),
        ("error", {"error": {"from": "server", "state": "FAILED"}}),
        ("violations", {"violations": [{"by": "kit", "rule": "final", "detail": "t1"}]}),
        ("fold", {"violations": [{"by": "kit", "rule": "task", "detail": "t1"}]}),
        ("steps", {"events": [*PLAIN["events"], _status("COMPLETED", "more")]}),
        ("steps", {"events": [*PLAIN["events"], {"e": "artifact", "id": "output", "parts": [{"data": {"a": 1}}]}]}),
        ("tasks", {"events": [{**PLAIN["events"][0], "history": 2}, *PLAIN["events"][1:]]}),
        ("text", {"aggregated": [{"artifact_id": "response", "text": "a c"}]}),
        ("pauses", {"pause": {"kind": "ask", "items": [{"text": "?"}]}}),
        ("pauses", {"first_run": {"pause": {"kind": "ask", "items": [{"text": "?"}]}}}),
        ("cancel", {"cancel": {"state": "CANCELED"}}),
        ("task", {"task": {**PLAIN["task"], "status": {"state": "WORKING"}}}),
        ("history", {"task": {**PLAIN["task"], "history": [{"role": "ROLE_USER", "parts": [{"text": "hi"}]}]}}),
    ],
)
def test_whatever_else_a_client_is_told_is_compared(field: str, other: dict[str, Any]) -> None:
    """Ours: a comparison that misses something shows nothing; each field is missed by no change of it."""
    assert _fields(TEXT, PLAIN, PLAIN | other) == [field]
    assert _fields(TEXT, PLAIN | other, PLAIN) == [field]


def test_every_field_of_a_comparison_is_tried_by_these_tests() -> None:
    """Ours: what is compared stands in one table, in the module's words and here."""
    assert set(told(PLAIN)) == {
        "verdict", "error", "violations", "steps", "tasks", "text", "pauses", "cancel", "task", "history",
        "fold",
    }  # fmt: skip


def test_what_a_whole_task_restates_counts_once_wherever_a_client_comes_back() -> None:
    """docs/protocols/a2a.md: whoever comes back is told the whole task, then what comes."""
    before, behind = [*_task("SUBMITTED"), _status("WORKING")], [_status("COMPLETED")]

    def seen(at: int) -> dict[str, Any]:
        again = _task("WORKING", text="abcdef"[:at], artifacts=1)
        return _report([*before, *_text("ab"), *again, *_text("abcdef"[at:]), *behind], "abcdef")

    row = Row("text", Act.COME_BACK)
    assert _fields(row, seen(2), seen(6)) == []
    assert [step.get("text") for step in told(seen(3))["steps"]] == [None, None, "abcdef", None]


def test_the_state_of_a_whole_task_is_a_step_where_it_was_not_told_before() -> None:
    """Ours: one server says that it goes on with a task, and the other with an update."""
    asked = [*_task("SUBMITTED"), *_text("a"), _status("INPUT_REQUIRED", "?")]
    whole = _report([*asked, *_task("WORKING", text="a", artifacts=1), *_text("b"), _status("COMPLETED")], "ab")
    update = _report([*asked, _status("WORKING"), *_text("b"), _status("COMPLETED")], "ab")
    assert _fields(TEXT, whole, update) == ["tasks"]


def test_a_stopped_run_is_compared_as_far_as_both_have_come() -> None:
    """Ours: where it is stopped is nobody's to choose; that it says other words is a difference."""

    def seen(said: str) -> dict[str, Any]:
        return _report([*_task("SUBMITTED"), _status("WORKING"), *_text(said), _status("CANCELED")], said)

    row = Row("cancel", Act.OWN_STOP)
    assert _fields(row, seen("abc"), seen("abcdef")) == _fields(row, seen("abcdef"), seen("abc")) == []
    assert _fields(row, seen("abc"), seen("abX")) == ["steps", "text", "task"]
    assert _fields(TEXT, seen("abc"), seen("abcdef")) == ["steps", "text", "task"]
    silent = report(events=[*_task("SUBMITTED"), _status("WORKING"), _status("CANCELED")])
    assert _fields(row, silent, silent) == []


@given(st.lists(st.integers(), min_size=1, max_size=6, unique=True), st.data())
def test_a_piece_that_is_said_twice_at_a_seam_is_told_as_that_alone(numbers: list[int], data: st.DataObject) -> None:
    """Ours: known of a control, and of no other way in which its text may differ."""
    pieces = [f" {number}" for number in numbers]
    at = data.draw(st.integers(1, len(pieces)))

    def seen(pieces: list[str]) -> dict[str, Any]:
        said = "".join(pieces)
        events = [*_task("SUBMITTED"), *_task("WORKING", text=said, artifacts=1), _status("COMPLETED")]
        return _report(events, said, task={})

    once, twice = seen(pieces), seen([*pieces[:at], *pieces[at - 1 :]])
    row = Row("text", Act.COME_BACK)
    assert _fields(row, once, twice) == ["seam"]
    assert _fields(row, twice, once) == _fields(TEXT, once, twice) == ["steps", "text"]
    assert _fields(row, once, seen([*pieces, "other"])) == ["steps", "text"]


def test_a_difference_is_told_with_its_place_and_what_each_says() -> None:
    """Ours: whoever mends it needs cell, field, and both."""
    other = PLAIN | {"events": [*PLAIN["events"][:-1], _status("FAILED", "no")], "verdict": "error"}
    found = compared(TEXT, ASIDE, here=PLAIN, there=other)
    assert found.verdict == "error"
    assert found.problems == (
        'the other differs in verdict: "error" there, "done" here',
        'the other differs in steps[3].state: "FAILED" there, "COMPLETED" here',
    )
    shorter = compared(TEXT, ASIDE, here=PLAIN, there=PLAIN | {"events": PLAIN["events"][:-1]})
    assert shorter.problems == (
        'the other differs in steps[3]: nothing there, {"e": "status", "state": "COMPLETED"} here',
    )
    at_length = compared(TEXT, ASIDE, here=PLAIN, there=PLAIN | {"cancel": {"state": "x" * 1000}})
    assert len(at_length.problems[0]) < 300
    somewhere = "x" * 1000
    in_the_middle = compared(
        TEXT, ASIDE, here=PLAIN | {"cancel": {"state": f"{somewhere}ab{somewhere}"}},
        there=PLAIN | {"cancel": {"state": f"{somewhere}ac{somewhere}"}},
    )  # fmt: skip
    assert "xac" in in_the_middle.problems[0]
    assert len(in_the_middle.problems[0]) < 500
    assert not_compared("it crashed") == Comparison(verdict="none", problems=("it crashed",))


def test_a_stated_difference_is_none_and_is_missed_where_it_is_gone() -> None:
    """docs/cli.md: a difference that is not stated fails, and so does a stated one that no longer is."""
    stated = Stated(reason="it is slow", fields=frozenset({"verdict", "cancel"}), verdict="truncated")
    beside = Beside(control=control(), stated=(stated,))
    cut = PLAIN | {"verdict": "truncated", "cancel": {"state": "no"}}
    assert compared(TEXT, beside, here=PLAIN, there=cut).problems == ()
    assert compared(TEXT, beside, here=PLAIN, there=cut | {"cancel": None}).problems == (
        "the other no longer differs in cancel: it is slow",
    )
    assert compared(TEXT, beside, here=PLAIN, there=cut | {"verdict": "error"}).problems == (
        "the other gives the verdict error, expected truncated",
    )
    by_chance = Beside(control=control(), stated=(Stated(reason="a race", fields=frozenset({"fold"}), is_chance=True),))
    assert compared(TEXT, by_chance, here=PLAIN, there=PLAIN).problems == ()
