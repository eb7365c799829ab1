"""Events to the text that stands, to how far a run has come, and to where it is."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from treadle.cli.demos.folding import PHASES, STARTING, STEP_UNITS, Folding
from treadle.values.events import CLOSING_TYPES, EVENT_TYPES


def begun(number: int, attempt: int = 1) -> dict[str, Any]:
    """The start of an attempt."""
    return {"kind": "round_started", "round": number, "attempt": attempt}


def said(text: str, kind: str = "text_delta") -> dict[str, Any]:
    """A piece of speech."""
    return {"kind": kind, "text": text}


def folded(*events: dict[str, Any]) -> Folding:
    """What a reader makes of these."""
    folding = Folding()
    for event in events:
        folding.take(event)
    return folding


def test_what_is_taken_back_is_gone_from_text_and_count() -> None:
    """docs/demos.md: rounds that were retracted are removed, and only those."""
    kept = (begun(1), said("hm", "thinking"), said("one "), begun(2), said("tw"))
    void = {"kind": "retracted", "round": 2, "attempt": 1, "reason": "taken_over"}
    again = folded(*kept, void, begun(2, 2), said("two"))
    assert (folded(*kept).text, again.text) == ("one tw", "one two")
    assert again.units == folded(*kept[:3], begun(2, 2), said("two")).units
    assert folded(begun(1), said("x"), {"kind": "retracted", "round": 1, "attempt": 1, "reason": ""}).text == ""


@given(st.lists(st.text(min_size=1), min_size=1), st.integers(1, 5))
def test_how_far_a_run_has_come_does_not_depend_on_how_its_speech_is_cut(texts: list[str], size: int) -> None:
    """Ours: a busy store joins pieces, and a kill is aimed at the same place all the same."""
    whole = "".join(texts)
    cut = [whole[at : at + size] for at in range(0, len(whole), size)]
    one, other = folded(begun(1), *map(said, texts)), folded(begun(1), *map(said, cut))
    assert (one.units, one.text) == (other.units, other.text) == (STEP_UNITS + len(whole), whole)


def test_where_a_run_stands_is_told_by_its_last_event() -> None:
    """docs/demos.md: the phases of a kill point; a run that ended is called by its end."""
    assert folded().phase == STARTING
    assert (folded(begun(3)).phase, folded(begun(3)).round) == ("asking the model", 3)
    assert folded(begun(1), said("x")).phase == "text"
    assert folded(begun(1), {"kind": "done"}).phase == "done"


def test_every_phase_is_of_an_event_that_there_is() -> None:
    """Ours: a kind that was misspelled would be a phase that nobody hits."""
    kinds = {event.kind for event in EVENT_TYPES}
    assert PHASES.keys() <= kinds - {event.kind for event in CLOSING_TYPES}
