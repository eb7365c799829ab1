"""How a task is told."""

from __future__ import annotations

from tests.projections.a2a.task_folds import telling


def test_readers_who_are_told_the_same_are_equal() -> None:
    """ADR 0034: whose tellings are equal share their frames; a request's id is nobody else's."""
    assert telling() == telling()
    assert hash(telling(after=3)) == hash(telling(after=3))
    assert telling() != telling(before='{"id":1,')
