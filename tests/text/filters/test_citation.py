"""Citations."""

from __future__ import annotations

import pytest

from treadle.text.filters.citation import CitationFilter


def test_names_are_the_user_s_in_any_case() -> None:
    """Ours: a closed set; what is not in it is text."""
    citations = CitationFilter(["src-1"])
    assert citations.feed("a [SRC-1] b [semantic] c") + citations.flush() == "a b [semantic] c"


@pytest.mark.parametrize("before", [*"aZ0_)]}[\\é", "ß", "Ж", "٣"])
def test_directly_after_what_takes_an_index_it_is_text(before: str) -> None:
    """Design §5: `table[working]` is user text."""
    for pieces in ([f"{before}[working] x"], [before, "[working] x"], [before, *"[working] x"]):
        citations = CitationFilter()
        assert "".join(map(citations.feed, pieces)) + citations.flush() == f"{before}[working] x"


@pytest.mark.parametrize("before", [*".,;:!?\"'(-*`", "日", "ا"])
def test_after_a_sign_or_a_letter_without_case_it_is_a_citation(before: str) -> None:
    """Ours: scripts without case put no blank before a citation."""
    citations = CitationFilter()
    assert citations.feed(f"x{before}[working] y") + citations.flush() == f"x{before} y"


def test_a_whole_citation_waits_for_one_character() -> None:
    """Design §5: a link is user text; the end of a passage is no link."""
    citations = CitationFilter()
    assert [citations.feed(text) for text in ("a [working]", "(b) [working]")] == ["a", " [working](b)"]
    assert (citations.busy, citations.flush(), citations.busy) == (True, "", False)
