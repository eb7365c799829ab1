"""The close state: what it gives, what it keeps, and what it refuses."""

from __future__ import annotations

import threading
from types import MappingProxyType

import pytest

from treadle.errors import StateError
from treadle.text.automaton import StreamFilter
from treadle.text.close_state import CloseState
from treadle.text.filters import NAMES, make_filters
from treadle.text.filters.think import ThinkTagFilter
from treadle.text.pieces import Extraction

BLOCK = '<MEMORY_EXTRACT>{"type":"a"}</MEMORY_EXTRACT>'
READ = Extraction(tag="MEMORY_EXTRACT", operations=({"type": "a"},))
TAGS = ("think", "block", "citation")


class CapText:
    """A user's own filter: the first characters of a run's text. Knows `feed` and `flush` alone."""

    def __init__(self, limit_chars: int) -> None:
        self._left_chars = limit_chars

    def feed(self, text: str) -> str:
        shown = text[: self._left_chars]
        self._left_chars -= len(shown)
        return shown

    def flush(self) -> str:
        return ""


def state_of(*names: str, shown: str = "") -> CloseState:
    """A close state with named filters."""
    return CloseState(make_filters(names), shown=shown)


@pytest.mark.requirement("C03")
def test_a_close_state_starts_with_nothing() -> None:
    """Nothing shown, thought or observed; but a segment begins with what the run has shown."""
    state = state_of(*NAMES)
    assert (state.clean_text, state.thinking, state.last_result, state.answer_at) == ("", "", {}, 0)
    later = state_of(*NAMES, shown="before ")
    assert (later.clean_text, later.answer_at) == ("before ", 7)
    assert (later.feed("more"), later.flush(), later.clean_text) == (None, ("more",), "before more")


@pytest.mark.requirement("C04", "C05", "C06", "C08", "C12")
def test_what_feeding_gives_is_what_is_recorded() -> None:
    """None is held text, never an empty one; what is held is missing from the clean text until it comes."""
    state = state_of(*TAGS)
    assert [state.feed(text) for text in ("a", "<", "b", "", "<MEM")] == ["a", None, "<b", None, None]
    assert state.clean_text == "a<b"
    assert (state.flush(), state.clean_text) == (("<MEM",), "a<b<MEM")


@pytest.mark.requirement("C02", "C20", "C11", "C10")
@pytest.mark.parametrize("deltas", [("Hello <MEM",), ("<think>a</think>b [sem",), (f"a {BLOCK}",), ("",)])
def test_the_text_persisted_does_not_depend_on_how_the_segment_ends(deltas: tuple[str, ...]) -> None:
    """Completed, cut in mid passage, or flushed twice: one text for the same deltas."""
    done, cut = state_of(*TAGS), state_of(*TAGS)
    for delta in deltas:
        done.pieces(delta)
        cut.feed(delta)
    done.end_passage()
    done.end_turn()
    done.flush()
    shown = cut.clean_text
    assert shown + "".join(cut.flush()) == cut.clean_text == done.clean_text
    assert (cut.flush(), cut.flush_pieces(), cut.end_passage(), cut.end_turn()) == ((), (), (), ())
    assert cut.clean_text == done.clean_text


@pytest.mark.requirement("C07", "C09")
def test_filters_stand_in_series() -> None:
    """What the first lets go passes the second, at the flush too, and what it takes out never gets there."""
    state = state_of(*TAGS)
    assert [state.feed(text) for text in ("a <MEMORY_EXTRACT>[semantic]", "</MEMORY", "_EXTRACT>")] == [
        "a ",
        None,
        None,
    ]
    assert (state.feed("[semantic]<ME"), state.flush()) == (None, ("<ME",))


@pytest.mark.requirement("C13")
def test_nothing_is_taken_after_the_flush() -> None:
    """A refusal each time, and nothing changes: a silent loss would be worse."""
    state = state_of("think")
    assert (state.feed("a"), state.flush()) == ("a", ())
    for refused in (state.feed, state.pieces, state.think, state.fall_back):
        for _ in range(2):
            with pytest.raises(StateError) as caught:
                refused("x")
            assert caught.value.code == "illegal_state"
    for refused_too in (state.begin_round, state.retract):
        with pytest.raises(StateError):
            refused_too()
    assert (state.short("x"), state.end_passage(), state.end_turn()) == (None, (), ())
    with pytest.raises(StateError):
        state.let_go()
    assert (state.clean_text, state.memory_response("b"), state.pieces("")) == ("a", "a", ())


@pytest.mark.requirement("C14", "C15", "C16")
def test_memory_keeps_what_was_shown_or_the_filtered_fallback() -> None:
    """White space is no answer, and the fallback is filtered as all text is."""
    fallback = f"<think>x</think>sorry{BLOCK} [semantic]"
    state = state_of(*TAGS)
    assert state.memory_response(fallback) == "sorry"
    assert state.memory_response("") == state.clean_text == ""
    state.pieces(" \n")
    state.end_passage()
    assert (state.memory_response(fallback), state.memory_response("")) == ("sorry", " \n")
    assert state.clean_text == " \n"
    state.pieces("yes")
    assert state.memory_response(fallback) == " \nyes"


@pytest.mark.requirement("C15", "C16")
def test_the_fallback_is_shown_where_nothing_else_was() -> None:
    """It is the product's text, not the model's: a model that starts in thinking does not make thinking of it."""
    state = CloseState((ThinkTagFilter(starts_in_thinking=True), *make_filters(["citation"])))
    assert state.pieces("plan") == (("thinking", "plan"),)
    assert state.memory_response("no answer [semantic]") == "no answer"
    assert state.fall_back("no answer [semantic]") == (("text", "no answer"),)
    assert (state.fall_back("again"), state.clean_text, state.flush()) == ((), "no answer", ())


def test_text_still_held_is_an_answer() -> None:
    """Ours: the fallback is asked for only after what is held was let go."""
    state = state_of("think")
    assert state.feed("<thi") is None
    assert state.fall_back("sorry") == (("text", "<thi"),)


@pytest.mark.requirement("C17", "C18")
def test_the_last_output_is_observed_as_a_copy() -> None:
    """Only a mapping under `output` counts, and nobody changes it later."""
    state = state_of()
    inner = {"a": [1]}
    state.observe_result({"output": inner})
    inner["a"].append(2)
    state.last_result["a"].append(3)
    for ignored in (None, 5, "output", [("output", {})], {}, {"output": 5}, {"output": {"lock": threading.Lock()}}):
        state.observe_result(ignored)
    assert state.last_result == {"a": [1]}
    state.observe_result(MappingProxyType({"output": MappingProxyType({"b": 2})}))
    assert state.last_result == {"b": 2}


@pytest.mark.requirement("C19")
def test_thinking_is_kept_apart_from_the_text() -> None:
    """From tags and from the provider's own field, in one order, redacted like all that is shown."""
    state = state_of(*NAMES)
    pieces = [
        *state.think("key sk-abcdefgh"),
        *state.think("ijklmnopqrst "),
        *state.pieces("Hi <think>bob@example.com</think> you"),
        *state.think("Bearer"),
        *state.flush_pieces(),
    ]
    assert pieces == [
        ("thinking", "key "),
        ("thinking", "[redacted] "),
        ("text", "Hi "),
        ("thinking", "[redacted]"),
        ("text", " "),
        ("text", "you"),
        ("thinking", "Bearer"),
    ]
    assert (state.clean_text, state.thinking) == ("Hi  you", "key [redacted] [redacted]Bearer")


def test_the_provider_s_thinking_ends_a_passage_of_text() -> None:
    """Design §2: a passage is what nothing else interrupts; a tag's beginning is let go before the thinking."""
    state = state_of(*TAGS)
    assert state.pieces("a [sem") == (("text", "a"),)
    assert state.think("hm") == (("text", " [sem"), ("thinking", "hm"))
    assert state.think("") == ()
    assert state.pieces("antic] [semantic] b") == (("text", "antic] b"),)


def test_thinking_takes_a_short_road_too() -> None:
    """Ours: a piece of thinking with nothing to filter is given back itself; else `think` takes it."""
    state = state_of(*TAGS)
    assert state.short_thinking("a") is None
    assert state.think("a") == (("thinking", "a"),)
    assert [state.short_thinking(text) for text in ("b", "日", "\ud83d", "")] == ["b", "日", None, None]
    assert (state.think("\ud83d"), state.short_thinking("x")) == ((), None)
    assert state.think("\ude00") == (("thinking", "😀"),)
    assert (state.feed("text"), state.short_thinking("c")) == ("text", None)
    assert state.think("c") == (("thinking", "c"),)
    assert state.thinking == "ab日😀c"
    assert state_of("redact").short_thinking("a") is None


@pytest.mark.parametrize("ends", [("passage",), ("turn",), ("turn", "passage"), ("passage", "turn"), ("turn", "turn")])
def test_a_line_begins_after_an_end_that_the_filters_slept_through(ends: tuple[str, ...]) -> None:
    """Ours: filters that are at rest hear of an end when they next see text."""
    state = state_of("think")
    for end in ends:
        assert state.feed("text") == "text"
        assert (state.end_turn() if end == "turn" else state.end_passage()) == ()
    # A line break after thinking that stands alone on its line goes with it.
    assert state.feed("<think>hm</think>\nmore") == "more"
    assert state.feed("<think>hm</think>\nmore") == "\nmore"


def test_the_short_road_gives_text_itself_and_the_long_one_takes_the_rest() -> None:
    """Ours: the loop calls `short`, and `let_go` where it gives nothing."""
    state = state_of(*TAGS)
    piece = "hello"
    assert (state.short(piece), state.let_go()) == (piece, ())
    assert (state.short("a "), state.short(" "), state.let_go()) == ("a", " ", ())
    assert (state.short("[semantic"), state.let_go()) == (None, ())
    assert (state.short("] b"), state.let_go()) == (None, (("text", " b"),))
    assert (state.short(BLOCK), state.let_go()) == (None, (("extracted", READ),))
    assert (state.short("xy"), state.let_go()) == ("xy", ())
    assert state.clean_text == "helloa  bxy"


def test_a_round_can_be_taken_back() -> None:
    """Design §5: text and filters go back to where the round began; what was held or open is gone."""
    state = CloseState((*make_filters(TAGS), CapText(12)))
    assert state.begin_round() == ()
    assert state.pieces("one. ") == (("text", "one."),)
    assert state.begin_round(7) == (("text", " "),)
    assert state.answer_at == 5
    state.pieces("<think>a</think>two <MEMORY_EXTRACT>{")
    assert (state.clean_text, state.thinking) == ("one. two ", "a")
    state.retract(7)
    assert (state.clean_text, state.thinking, state.answer_at) == ("one. ", "", 5)
    with pytest.raises(StateError):
        state.retract(1)
    assert state.pieces("[semantic] three and four") == (("text", "three a"),)
    state.retract()
    assert (state.feed("again, and more"), state.flush(), state.clean_text) == ("again, ", (), "one. again, ")


def test_without_a_round_all_of_the_segment_is_taken_back() -> None:
    """Ours: a segment that began no round goes back to what the run had shown before it."""
    state = state_of("think", shown="before ")
    state.pieces("x <th")
    state.retract()
    assert (state.clean_text, state.flush()) == ("before ", ())


def test_a_turn_ends_what_is_open() -> None:
    """Ours: a block or thinking left open does not swallow the next turn; a passage's end leaves it open."""
    state = state_of(*TAGS)
    assert state.pieces("a<MEMORY_EXTRACT>{") == (("text", "a"),)
    assert state.end_passage() == ()
    assert state.pieces("more") == ()
    assert state.begin_round() == (("extracted", Extraction(tag="MEMORY_EXTRACT", diagnostic="unterminated")),)
    assert state.pieces("<think>b") == (("thinking", "b"),)
    assert (state.end_passage(), state.pieces("c")) == ((), (("thinking", "c"),))
    assert (state.end_turn(), state.pieces("d")) == ((), (("text", "d"),))


def test_a_passage_begins_a_line() -> None:
    """Ours: white space is decided by what stands on the line in this passage, also past the short road."""
    state = state_of(*TAGS)
    assert (state.feed("ab"), state.feed("\n"), state.feed("  "), state.feed("[semantic] c")) == (
        "ab",
        "\n",
        " ",
        " c",
    )
    state.end_passage()
    assert state.feed("[semantic] d") == "d"
    assert state.feed(f"\n{BLOCK}\ne") == "\ne"


@pytest.mark.requirement("C01")
def test_a_user_s_own_filter_stands_in_the_series() -> None:
    """`feed` and `flush` are all it needs; it is copied, so the one that was given is never fed."""
    mine: StreamFilter = CapText(6)
    state = CloseState((ThinkTagFilter(), mine))
    assert state.pieces("ab<think>c</think>") == (("text", "ab"), ("thinking", "c"))
    assert state.pieces("defghij") == (("text", "defg"),)
    assert (state.pieces("more"), state.flush()) == ((), ())
    assert mine.feed("123456789") == "123456"
    assert CloseState((mine,)).memory_response("fallback") == ""
    assert CloseState((CapText(4),)).memory_response("fallback") == "fall"


def test_extractions_pass_a_user_s_filter_and_are_redacted() -> None:
    """Ours: the operations of a block hold what the model wrote, secrets too."""
    block = '<MEMORY_EXTRACT>{"type":"a","mail":"bob@example.com"}</MEMORY_EXTRACT>'
    state = CloseState((*make_filters(["block"]), CapText(9), *make_filters(["redact"])))
    assert state.pieces(f"x {block}y ") == (
        ("text", "x "),
        ("extracted", Extraction(tag="MEMORY_EXTRACT", operations=({"type": "a", "mail": "[redacted]"},))),
        ("text", "y "),
    )


def test_one_text_is_kept_for_each_passage() -> None:
    """Ours: deltas need not live as long as the run, so a long answer costs its characters."""
    state = state_of("think")
    for _ in range(100):
        state.feed("word ")
        state.think("hm ")
        state.think("so ")
        state.short_thinking("on ")
    state.end_passage()
    assert (state.clean_text, state.thinking) == ("word " * 100, "hm so on " * 100)
    assert len(state._shown) == 100  # noqa: SLF001 (the store itself is the question)


@pytest.mark.parametrize("names", [(), ("think",), TAGS, NAMES])
def test_text_of_any_script_passes(names: tuple[str, ...]) -> None:
    """Ours: the look for halves of pairs lets whole characters by."""
    state = state_of(*names)
    for text in ("天空", "是蓝色的。 ", "é", "😀"):
        state.feed(text)
    state.flush()
    assert state.clean_text == "天空是蓝色的。 é😀"
