"""What holds of the typed projection for all events."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import kernel_events
from treadle.projections.typed import events as typed
from treadle.projections.typed.closing import bare_of, typed_of
from treadle.projections.typed.project import project
from treadle.values import events as ev


@given(kernel_events())
def test_an_event_says_the_same_each_time_it_is_asked(event: ev.KernelEvent) -> None:
    """Ours: the same log gives the same stream; nothing is remembered between two events."""
    assert project(event) == project(event)
    assert typed_of(event) == typed_of(event)
    assert bare_of(event) == bare_of(event)


@given(kernel_events())
def test_what_is_said_is_a_tuple_of_stream_events(event: ev.KernelEvent) -> None:
    """Ours: the closed union and nothing else, in an order that is part of the contract."""
    for said in (project(event), typed_of(event), bare_of(event)):
        assert type(said) is tuple
        assert {type(one) for one in said} <= set(typed.STREAM_EVENT_TYPES)


@given(st.lists(kernel_events(ev.TextDelta, ev.Thinking, ev.ToolArguments)))
def test_speech_is_given_on_piece_by_piece_and_unchanged(events: list[ev.KernelEvent]) -> None:
    """Ours: nothing is joined, cut, sorted or left out."""
    said = [one for event in events for one in project(event)]
    texts = [getattr(one, fields(one)[-1].name) for one in said]
    assert texts == [event.text for event in events]  # type: ignore[union-attr]  # all three have a text


@given(kernel_events(*ev.CLOSING_TYPES))
def test_a_public_stream_ends_with_one_completion_last(event: ev.KernelEvent) -> None:
    """Ours: exactly one, on every ending, and usage at most once before it."""
    said = typed_of(event)
    assert [type(one) for one in said].count(typed.ResponseComplete) == 1
    assert isinstance(said[-1], typed.ResponseComplete)
    assert [type(one) for one in said].count(typed.Usage) <= 1
    assert (said[-1].usage is None) == (not isinstance(said[0], typed.Usage))


@given(kernel_events())
def test_nothing_but_an_end_is_said_otherwise_in_the_two_forms(event: ev.KernelEvent) -> None:
    """Ours: the forms differ in how they end, and in nothing else."""
    if not isinstance(event, ev.CLOSING_TYPES):
        assert typed_of(event) == bare_of(event) == project(event)
    assert all(one in typed_of(event) for one in bare_of(event))
