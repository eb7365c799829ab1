"""The contract of a filter, and a filter of the user's in a series."""

from __future__ import annotations

import pytest

from treadle.text.automaton import Automaton, ForeignFilter, StreamFilter, automaton_of, through
from treadle.text.filters.citation import CitationFilter
from treadle.text.filters.redact import RedactFilter
from treadle.text.pieces import SEAM_STEP, Extraction, Step, text_of

READ: Step = ("extracted", Extraction(tag="A"))


class Late:
    """A user's filter that holds its last character."""

    def __init__(self) -> None:
        self.held = ""

    def feed(self, text: str) -> str:
        text = self.held + text
        self.held = text[-1:]
        return text[:-1]

    def flush(self) -> str:
        let_go, self.held = self.held, ""
        return let_go


def test_a_filter_alone_is_a_stream_filter() -> None:
    """Ours: `feed` and `flush` are the contract; after the flush it is as new."""
    citations = CitationFilter()
    assert isinstance(citations, StreamFilter)
    for _ in range(2):
        assert (citations.feed("a [semantic] b ["), citations.flush()) == ("a b", " [")


def test_the_bare_automaton_holds_nothing_and_says_so() -> None:
    """Ours: what a filter does not decide is decided for it; what it must decide is missed at once."""
    bare = Automaton()
    assert (bare.acts_on, bare.busy, bare.aside(Extraction(tag="A"))) == (None, False, Extraction(tag="A"))
    bare.passed("text")
    bare.mark()
    bare.go_back()
    bare.rest()
    assert bare.flush() == ""
    with pytest.raises(NotImplementedError):
        bare.feed("text")


def test_the_filter_that_was_given_is_never_fed() -> None:
    """Ours: one object may be declared once and serve any number of runs, at the same time."""
    given: list[StreamFilter] = [CitationFilter(), Late()]
    for one in given:
        made, other = automaton_of(one), automaton_of(one)
        assert (made.feed("a ["), text_of_flush(made)) == (
            "a" if isinstance(one, CitationFilter) else "a ",
            TAILS[type(one)],
        )
        assert (other.feed("b"), text_of_flush(other)) in (("b", ""), ("", "b"))
        assert one.flush() == ""


TAILS: dict[type, str] = {CitationFilter: " [", Late: "["}


def text_of_flush(automaton: Automaton) -> str:
    """What the end of a passage lets go."""
    out: list[Step] = []
    automaton.end_passage(out)
    return text_of(out)


def test_a_user_s_filter_goes_back_by_a_copy() -> None:
    """Ours: it knows no rounds, so a copy is made at each, and kept for going back again."""
    foreign = ForeignFilter(Late())
    foreign.feed("ab")
    foreign.mark()
    for _ in range(2):
        assert foreign.feed("cd") == "bc"
        foreign.go_back()
    assert foreign.fresh().feed("xy") == "x"
    assert foreign.acts_on is None  # nobody knows what it holds, so it sees everything


def test_steps_keep_their_order_through_a_filter() -> None:
    """Ours: what is held comes before the seam or the thinking that ends it."""
    steps: list[Step] = [("text", "a ["), SEAM_STEP, READ, ("text", "b [s"), ("thinking", "c"), ("text", "d")]
    out = through(CitationFilter(), steps)
    assert [step for step in out if step[1] or step is SEAM_STEP] == [
        *(("text", "a"), ("text", " ["), SEAM_STEP, READ, ("text", "b"), ("text", " [s"), ("thinking", "c")),
        ("text", "d"),
    ]


def test_a_filter_that_hears_thinking_ends_its_passage_between_the_two() -> None:
    """Ours: a word is not joined from text and thinking."""
    redact = RedactFilter()
    steps: list[Step] = [("text", "bob@"), ("thinking", "example.com "), ("text", "x ")]
    assert through(redact, steps) == [("text", "bob@"), ("thinking", "example.com "), ("text", "x ")]


class Told(CitationFilter):
    """A filter of somebody who declares no slots, with something of its own."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


@pytest.mark.parametrize("given", [Told("mine"), RedactFilter(), CitationFilter()])
def test_a_fresh_filter_has_the_same_rules_and_has_seen_nothing(given: Automaton) -> None:
    """Ours: with slots of its own or without, what was fed to one is unknown to the other."""
    text = "a [s1] bob@example.com b "
    alone = type(given)(*([given.name] if isinstance(given, Told) else [])).feed(text)
    given.feed("see [s")
    made = given.fresh()
    assert type(made) is type(given)
    assert getattr(made, "name", None) == getattr(given, "name", None)
    assert made.looked_at_chars == 0
    assert made.feed(text) == alone
