"""Records."""

from __future__ import annotations

from typing import get_args

from treadle.values.events import EVENT_TYPES
from treadle.values.facts import FACT_TYPES
from treadle.values.records import Entry


def test_an_entry_is_an_event_or_a_fact() -> None:
    """Ours: nothing else stands in a log."""
    assert set(get_args(Entry)) == {*EVENT_TYPES, *FACT_TYPES}
