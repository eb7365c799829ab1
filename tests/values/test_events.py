"""Kernel events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, fields
from typing import Any, get_args

import pytest
from hypothesis import given

from tests.values.event_samples import APPROVAL, OUTCOME, QUESTION, SAMPLE_OF, SAMPLES, event, kernel_events
from treadle.values import events as ev


def test_the_tuple_of_classes_and_the_union_are_one() -> None:
    """Ours: a table that is total over the tuple is total over the union."""
    assert get_args(ev.KernelEvent) == ev.EVENT_TYPES
    assert set(ev.CLOSING_TYPES) == set(get_args(ev.ClosingEvent))
    assert set(ev.FINAL_TYPES) == set(get_args(ev.FinalEvent))
    assert set(ev.PAUSE_TYPES) == set(get_args(ev.PauseEvent))
    assert set(ev.CLOSING_TYPES) == {*ev.FINAL_TYPES, *ev.PAUSE_TYPES} <= set(ev.EVENT_TYPES)
    assert set(get_args(ev.DeltaEvent)) < set(ev.EVENT_TYPES)


def test_there_is_a_sample_of_every_class() -> None:
    """Ours: tests over the samples are tests over the union."""
    assert set(SAMPLE_OF) == set(ev.EVENT_TYPES)


def test_every_kind_is_a_word_of_its_own() -> None:
    """Ours: a stored or sent event is known by its kind."""
    kinds = [kind.kind for kind in ev.EVENT_TYPES]
    assert len(set(kinds)) == len(kinds)
    assert all(word.isidentifier() and word == word.lower() for word in kinds)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_an_event_says_its_kind_its_place_and_its_run(sample: ev.KernelEvent) -> None:
    """Ours: these three are on every event, first."""
    assert [field.name for field in fields(sample)[:2]] == ["index", "run_id"]
    assert (sample.kind, sample.index, sample.run_id) == (type(sample).kind, 0, "r1")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_an_event_cannot_be_changed(sample: ev.KernelEvent) -> None:
    """Ours: an event is shared by all who read it."""
    for field in fields(sample):
        with pytest.raises(FrozenInstanceError):
            setattr(sample, field.name, None)
    assert not hasattr(sample, "__dict__")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_a_sealed_draft_is_the_event_that_the_class_makes(sample: ev.KernelEvent) -> None:
    """Ours: a seal is cheaper for some, and different for none."""
    told = {field.name: getattr(sample, field.name) for field in fields(sample)[2:]}
    sealed = ev.SEALS[type(sample)](sample.index, sample.run_id, told)
    assert (type(sealed), sealed, repr(sealed)) == (type(sample), sample, repr(sample))
    with pytest.raises(TypeError):
        ev.SEALS[type(sample)](sample.index, sample.run_id, {**told, "other": 1})


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_the_fields_of_an_event_are_named_where_it_is_made(sample: ev.KernelEvent) -> None:
    """Ours: keyword only, so that a field that is added changes nobody's call."""
    with pytest.raises(TypeError):
        type(sample)(*(getattr(sample, field.name) for field in fields(sample)))


@given(kernel_events())
def test_no_event_holds_what_can_be_changed(made: ev.KernelEvent) -> None:
    """Ours: frozen to the bottom, foreign payloads too."""

    def check(part: object) -> None:
        assert not isinstance(part, list | set)
        if isinstance(part, Mapping):
            with pytest.raises(TypeError):
                part["new"] = 1  # type: ignore[index]  # the fault under test
        inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, tuple) else ()
        for one in inner:
            check(one)

    for field in fields(made):
        check(getattr(made, field.name))


@pytest.mark.parametrize("kind", ev.PAUSE_TYPES)
def test_a_pause_waits_for_something(kind: type[ev.PauseEvent]) -> None:
    """Ours: a run that waits for nothing would wait for ever."""
    with pytest.raises(ValueError, match="at least one pause"):
        event(kind, pending=(), outcome=OUTCOME)


def test_what_waits_for_leave_is_no_question() -> None:
    """Ours: `ask_user` says that all open pauses are questions; a mix of both is an interrupt."""
    with pytest.raises(ValueError, match="questions alone"):
        event(ev.AskUser, pending=(QUESTION, APPROVAL), outcome=OUTCOME)
    assert event(ev.Interrupt, pending=[QUESTION, APPROVAL], outcome=OUTCOME).pending == (QUESTION, APPROVAL)


def test_an_error_has_a_code() -> None:
    """Ours: callers branch on the code, never on the words."""
    with pytest.raises(ValueError, match="needs a code"):
        event(ev.Error, outcome=OUTCOME, code="")


@pytest.mark.parametrize(("count", "first", "last"), [(0, 1, 1), (-1, 1, 1), (1, 2, 1)])
def test_a_notice_of_loss_is_of_something_and_in_order(count: int, first: int, last: int) -> None:
    """Ours: a notice that says nothing was lost, or that it was lost backwards, is a bug of who gives it."""
    with pytest.raises(ValueError, match="a loss is of 1 or more, in order"):
        event(ev.Dropped, dropped_kind="tool_progress", count=count, first=first, last=last)


@pytest.mark.parametrize(
    ("kind", "field", "more"),
    [
        (ev.ToolProgress, "payload", {"call_id": "c", "sequence": 0}),
        (ev.Extension, "payload", {"type": "x"}),
        (ev.Extracted, "operations", {"tag": "x"}),
    ],
)
def test_a_payload_is_kept_as_it_was_when_the_event_was_made(
    kind: type[ev.KernelEvent], field: str, more: dict[str, Any]
) -> None:
    """Ours: who gave a payload may go on changing his own."""
    mine = [{"a": 1}]
    made = event(kind, **more, **{field: mine})
    mine[0]["a"] = 2
    assert getattr(made, field) == ({"a": 1},)
