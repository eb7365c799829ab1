"""Tags to the search that finds them whole or begun."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treadle.text.tags import TagSet, finder, first_characters, is_begun

BLOCKS = TagSet(tags=("<ab>", "</ab>", "<ac>"))
CITATIONS = TagSet(tags=("[ab]", "[b]"), any_case=True, takes_blank=True)


def found(text: str, *sets: TagSet) -> tuple[str, bool] | None:
    """What is found, and whether it is only begun."""
    match = finder(sets)(text)
    return match and (match.group(), is_begun(match))


@given(text=st.text("<>/[]abcAB \t", max_size=12))
def test_the_leftmost_tag_is_found_or_the_end_that_may_become_one(text: str) -> None:
    """Ours: equal to trying each place with each tag, the blank before a citation with it."""
    expected = None
    plain = [(tag, False) for tag in BLOCKS.tags]
    cited = [(before + tag, True) for tag in CITATIONS.tags for before in ("", " ", "\t")]
    for at in range(len(text)):
        for tag, folds in plain + cited:
            rest = text[at:]
            piece = rest[: len(tag)]
            if (piece.lower() if folds else piece) == tag[: len(piece)] and (piece == rest or len(piece) == len(tag)):
                expected = (piece, len(piece) < len(tag))
                break
        if expected:
            break
    assert found(text, BLOCKS, CITATIONS) == expected


def test_only_ascii_letters_are_folded() -> None:
    """Ours: a sign whose lower case happens to be a letter of a tag makes no tag."""
    assert found("[s]", TagSet(tags=("[s]",), any_case=True)) == ("[s]", False)
    assert found("[ſ]", TagSet(tags=("[s]",), any_case=True)) is None


def test_without_tags_nothing_is_found() -> None:
    """Ours: an empty set is no error and finds nothing."""
    assert (found("<a> ", TagSet(tags=())), found("a"), first_characters([TagSet(tags=())])) == (None, None, "")
    assert first_characters([BLOCKS, CITATIONS]) == "<["
