"""Ids that a test can foretell."""

from __future__ import annotations

from treadle.testing.counted_ids import CountedIds


def test_ids_are_counted_each_maker_for_itself() -> None:
    """A test writes down what it expects (ours)."""
    ids = CountedIds()
    assert [ids.run_id(), ids.run_id(), CountedIds().run_id()] == ["r1", "r2", "r1"]
