"""What a run has shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import RUN, event, kernel_events
from treadle.runtime.shown_so_far import ShownSoFar
from treadle.values import events as ev


def fold(events: list[ev.KernelEvent]) -> ShownSoFar:
    """Add them all."""
    shown = ShownSoFar()
    for one in events:
        shown.add(one)
    return shown


def begun(number: int, attempt: int = 1) -> ev.KernelEvent:
    """A round begins."""
    return event(ev.RoundStarted, round=number, attempt=attempt, model="m")


def said(text: str) -> ev.KernelEvent:
    """A piece of text."""
    return event(ev.TextDelta, passage=1, text=text)


@given(st.lists(kernel_events(ev.TextDelta, ev.Thinking, ev.ToolCall, ev.ToolResult, ev.Stage)))
def test_the_text_is_the_joined_pieces(events: list[ev.KernelEvent]) -> None:
    """Ours: nothing added, nothing left out."""
    shown = fold(events)
    assert shown.text == shown.answer == "".join(one.text for one in events if isinstance(one, ev.TextDelta))
    assert shown.run_id == (RUN if events else "")


def test_the_answer_is_the_text_of_the_last_round() -> None:
    """Ours (EV-10): the same as in an outcome."""
    shown = fold([begun(1), said("Let me look. "), begun(2), said("It is "), said("3.")])
    assert (shown.text, shown.answer) == ("Let me look. It is 3.", "It is 3.")


def test_what_is_retracted_is_not_shown() -> None:
    """Ours: the text goes back to where the round began, and the round may begin anew."""
    void = [begun(1), said("one "), begun(2), said("two "), event(ev.Retracted, round=2, attempt=1, reason="x")]
    assert (fold(void).text, fold(void).answer) == ("one ", "")
    again = fold([*void, begun(2, 2), said("three")])
    assert (again.text, again.answer) == ("one three", "three")


def test_a_retraction_of_what_was_not_seen_takes_nothing() -> None:
    """Ours: a reader may have come after the round began."""
    shown = fold([said("a"), event(ev.Retracted, round=4, attempt=1, reason="x")])
    assert (shown.text, shown.answer) == ("a", "a")
