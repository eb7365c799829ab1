"""Replies that no server could give are refused when they are made."""

from __future__ import annotations

import pytest

from treadle.errors import PlanError
from treadle.testing.faults.steps import Done, Eof, KeepOpen, Reply, Reset, Status, Step, Turn


@pytest.mark.parametrize(
    "steps",
    [
        (Status(code=500), Done()),
        (Done(), Status(code=500)),
        (Eof(body_ended=True), Done()),
        (Reset(), Done()),
        (KeepOpen(), Done()),
    ],
)
def test_steps_after_an_end_are_refused(steps: tuple[Step, ...]) -> None:
    """Legal if it exists (ours)."""
    with pytest.raises(PlanError):
        Reply(steps=steps)


def test_every_problem_is_told_at_once() -> None:
    """The errors of a plan come together (ours)."""
    with pytest.raises(PlanError) as caught:
        Reply(steps=(Reset(), Status(code=500)), write_bytes=-1)
    assert len(caught.value.problems) == 3


def test_a_turn_without_a_reply_is_refused() -> None:
    """It could answer nothing (ours)."""
    with pytest.raises(PlanError, match="one reply or more"):
        Turn(replies=())
