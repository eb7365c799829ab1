"""Steps to pieces."""

from __future__ import annotations

from treadle.text.pieces import SEAM_STEP, Extraction, Step, settled, text_of

READ: Step = ("extracted", Extraction(tag="A"))


def test_neighbours_of_one_kind_are_joined_and_seams_left_out() -> None:
    """Ours: a reader gets one piece where nothing stands between; an empty one is none."""
    steps: list[Step] = [
        *(SEAM_STEP, ("text", "a"), SEAM_STEP, ("text", "b"), ("thinking", ""), ("text", "c"), READ, SEAM_STEP, READ),
        *(("thinking", "d"), ("thinking", "e"), ("text", "")),
    ]
    assert settled(steps) == (("text", "ab"), ("text", "c"), READ, READ, ("thinking", "de"))
    assert settled([]) == ()


def test_only_text_is_text() -> None:
    """Ours: what `feed` gives is what may be shown as text."""
    assert text_of([("text", "a"), SEAM_STEP, ("thinking", "b"), READ, ("text", "c")]) == "ac"
