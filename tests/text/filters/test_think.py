"""Think tags."""

from __future__ import annotations

from treadle.text.close_state import CloseState
from treadle.text.filters.think import ThinkTagFilter


def test_names_are_the_user_s_and_mean_the_same() -> None:
    """Ours: each closes what any of them opened; other tags are text."""
    state = CloseState((ThinkTagFilter(["think", "thinking"]),))
    assert state.pieces("<thinking>a</think>b<reason>") == (("thinking", "a"), ("text", "b<reason>"))


def test_thinking_is_given_as_it_comes() -> None:
    """Ours: only the beginning of a tag is held, in thinking as in text."""
    state = CloseState((ThinkTagFilter(),))
    assert state.pieces("<think>a") == (("thinking", "a"),)
    assert state.pieces("b</thi") == (("thinking", "b"),)
    assert state.end_passage() == (("thinking", "</thi"),)
    assert state.pieces("c</think>d") == (("thinking", "c"), ("text", "d"))


def test_the_opening_tag_that_was_presumed_may_be_written() -> None:
    """Ours: a model that starts in thinking and opens it all the same does not think for ever."""
    for text in ("<think>\na</think>b", "\n<think>a</think>b", "a</think>b"):
        state = CloseState((ThinkTagFilter(starts_in_thinking=True),))
        assert state.pieces(text) == (("thinking", "a"), ("text", "b"))
    state = CloseState((ThinkTagFilter(starts_in_thinking=True),))
    assert state.pieces("a<think>b</think>c</think>d") == (("thinking", "abc"), ("text", "d"))


def test_each_turn_starts_in_thinking() -> None:
    """Ours: it is the model's habit, not the run's."""
    state = CloseState((ThinkTagFilter(starts_in_thinking=True),))
    state.begin_round()
    assert state.pieces("a</think>b") == (("thinking", "a"), ("text", "b"))
    state.begin_round()
    assert state.pieces("c") == (("thinking", "c"),)
