"""Filters by name."""

from __future__ import annotations

import pytest

from treadle.text.filters import NAMES, by_name, make_filters
from treadle.text.filters.block import BlockFilter
from treadle.text.filters.citation import CitationFilter
from treadle.text.filters.redact import RedactFilter
from treadle.text.filters.think import ThinkTagFilter


def test_filters_are_named_in_the_order_they_stand_in() -> None:
    """Design §5: think, block, citation, redact."""
    assert NAMES == ("think", "block", "citation", "redact")
    assert [type(made) for made in make_filters(NAMES)] == [ThinkTagFilter, BlockFilter, CitationFilter, RedactFilter]


def test_an_object_stands_for_itself() -> None:
    """Ours: a plan names filters or gives them."""
    mine = CitationFilter(["mine"])
    assert make_filters([mine, "think"])[0] is mine


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    """Ours: a slip is found where it is declared."""
    with pytest.raises(LookupError, match="no filter 'thinking', there are think, block, citation, redact"):
        by_name("thinking")
