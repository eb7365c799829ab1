"""Shown text as a user of the filters meets it: one text, one answer, in every way of cutting it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from treadle.text.automaton import StreamFilter
from treadle.text.close_state import CloseState
from treadle.text.filters import NAMES, make_filters
from treadle.text.filters.block import LIMIT_CHARS
from treadle.text.filters.think import ThinkTagFilter
from treadle.text.pieces import Extraction

BLOCK = '<MEMORY_EXTRACT>{"ops":[{"type":"a"}]}</MEMORY_EXTRACT>'
READ = Extraction(tag="MEMORY_EXTRACT", operations=({"type": "a"},))


def ways_to_cut(text: str) -> Iterator[list[str]]:
    """Every cut in two, and every even size from one character on."""
    yield [text]
    for place in range(1, len(text)):
        yield [text[:place], text[place:]]
    for size in range(1, 22):
        yield [text[at : at + size] for at in range(0, len(text), size)]


def told(*deltas: str, filters: tuple[StreamFilter, ...] | None = None) -> tuple[str, str, list[object]]:
    """Send deltas through a close state: text, thinking, extractions."""
    state = CloseState(make_filters(NAMES) if filters is None else filters)
    pieces = [piece for delta in deltas for piece in state.pieces(delta)] + list(state.flush_pieces())
    assert state.clean_text == "".join(str(value) for kind, value in pieces if kind == "text")
    return state.clean_text, state.thinking, [value for kind, value in pieces if kind == "extracted"]


def shown(text: str, *, filters: tuple[StreamFilter, ...] | None = None) -> str:
    """The one text that is shown in every way of cutting."""
    (only,) = {told(*deltas, filters=filters)[0] for deltas in ways_to_cut(text)}
    return only


def extracted(text: str) -> list[object]:
    """The extractions, the same in every way of cutting."""
    first, *others = [told(*deltas)[2] for deltas in ways_to_cut(text)]
    assert all(other == first for other in others)
    return first


def thought(text: str, *, filters: tuple[StreamFilter, ...] | None = None) -> tuple[str, str]:
    """Thinking and text, the same in every way of cutting."""
    (only,) = {told(*deltas, filters=filters)[:2] for deltas in ways_to_cut(text)}
    return only[1], only[0]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param(f"Hello {BLOCK} world", "Hello  world", marks=pytest.mark.requirement("D01")),
        pytest.param(f"Hello \n\n{BLOCK}\n\nWorld", "Hello \n\n\nWorld", marks=pytest.mark.requirement("D02")),
        (f"{BLOCK}\r\nHello", "Hello"),
        (f"{BLOCK}{BLOCK}\rHello", "Hello"),
        (f"a\n  {BLOCK}\nb", "a\n  \nb"),
        (f"a\n{BLOCK} \nb", "a\n \nb"),
        pytest.param("The sky is blue [semantic].", "The sky is blue.", marks=pytest.mark.requirement("D03")),
        pytest.param("blue [Semantic] today.", "blue today.", marks=pytest.mark.requirement("D03")),
        ("blue  [semantic] [EPISODIC]\ttoday", "blue \ttoday"),
        ("[semantic] [episodic] Hello", "Hello"),
        ("[semantic]\nHello", "\nHello"),
        pytest.param("- item\n    [working] code", "- item\n    code", marks=pytest.mark.requirement("D04")),
        ("天空是蓝色的[semantic]。", "天空是蓝色的。"),
    ],
)
def test_white_space_follows_one_rule(text: str, answer: str) -> None:
    """Design §5, white space: the one blank of a citation, the one line break of a block alone on its lines."""
    assert shown(text) == answer


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Answer <MEMORY_EXT", marks=pytest.mark.requirement("D06")),
        pytest.param("Use arr[", marks=pytest.mark.requirement("D07")),
        pytest.param("options: [se", marks=pytest.mark.requirement("D07")),
        pytest.param("see [semantic](link) and ![working](u)", marks=pytest.mark.requirement("D13b")),
        pytest.param("table[working] x[0][working] f()[working]", marks=pytest.mark.requirement("D13b")),
        "x[0] <MEM [[semantic]] \\[semantic] ",
        pytest.param('Here it is:\n```json\n{"ops": []}\n```\n', marks=pytest.mark.requirement("D13e")),
        pytest.param('Here is the schema: {"type":"object"}', marks=pytest.mark.requirement("D13e")),
        pytest.param("GRAPH_OPERATIONS { is a C struct }; and the rest…", marks=pytest.mark.requirement("D13f")),
        pytest.param("if a < b then <thinkable> done", marks=pytest.mark.requirement("BR-117")),
        "<memory_extract> <think > < think>",
    ],
)
def test_user_text_stays_as_it_is(text: str) -> None:
    """Design §5: what is no tag is shown, in every way of cutting it."""
    assert shown(text) == text


@pytest.mark.requirement("D05")
def test_a_block_that_never_ends_is_dropped_and_reported() -> None:
    """Design §5: an opened, unterminated block is never shown."""
    text = 'Hi <GRAPH_OPERATIONS>{"ops":[{"type":"x"}]} and more'
    assert shown(text) == "Hi "
    assert extracted(text) == [Extraction(tag="GRAPH_OPERATIONS", diagnostic="unterminated")]


@pytest.mark.parametrize(
    ("content", "diagnostic"),
    [
        pytest.param('{"ops":null}', "wrong_shape", marks=pytest.mark.requirement("D08")),
        pytest.param('{"ops":5}', "wrong_shape", marks=pytest.mark.requirement("D08")),
        pytest.param('{"ops":"abc"}', "wrong_shape", marks=pytest.mark.requirement("D09")),
        pytest.param('{"ops":{"type":"x"}}', "wrong_shape", marks=pytest.mark.requirement("D09")),
        pytest.param('{"ops":[{"type":"x"},1]}', "wrong_shape", marks=pytest.mark.requirement("D09")),
        pytest.param("[" * 100 + "]" * 100, "too_deep", marks=pytest.mark.requirement("D10")),
        ("no JSON", "not_json"),
        ("", "not_json"),
    ],
)
def test_a_malformed_block_never_hurts_the_stream(content: str, diagnostic: str) -> None:
    """Design §5: the block is gone, the text around it is whole, the diagnostic says why."""
    text = f"a <MEMORY_EXTRACT>{content}</MEMORY_EXTRACT>b"
    assert shown(text) == "a b"
    assert extracted(text) == [Extraction(tag="MEMORY_EXTRACT", diagnostic=diagnostic)]  # type: ignore[arg-type]  # one of the words


@pytest.mark.requirement("D10")
def test_nesting_past_any_stack_is_refused() -> None:
    """Five thousand brackets in one delta: no exception, no text lost."""
    text, _, found = told(f"a<MEMORY_EXTRACT>{'[' * 5000}</MEMORY_EXTRACT>b")
    assert (text, found) == ("ab", [Extraction(tag="MEMORY_EXTRACT", diagnostic="too_deep")])


@pytest.mark.requirement("D11")
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (f"<MEMORY_EX{BLOCK}TRACT>rest", "<MEMORY_EXTRACT>rest"),
        (f"[sem{BLOCK}antic]", "[semantic]"),
        ("[sem<think>x</think>antic]", "[semantic]"),
        ("<MEM<think></think>ORY_EXTRACT>rest", "<MEMORY_EXTRACT>rest"),
        ("[sem [semantic]antic]", "[semantic]"),
        ("<th</think>ink>rest", "<think>rest"),
    ],
)
def test_what_a_removal_joins_is_no_tag(text: str, answer: str) -> None:
    """Design §5: removal never splices a new tag, in one filter or across several."""
    assert shown(text) == answer


@pytest.mark.requirement("D12")
def test_a_closing_tag_inside_a_string_does_not_end_the_block() -> None:
    """The end is aware of JSON: no remains of the block are shown."""
    text = 'a<MEMORY_EXTRACT>{"type":"n","t":"</MEMORY_EXTRACT> <MEMORY_EXTRACT>"}</MEMORY_EXTRACT>b'
    assert shown(text) == "ab"
    operation = {"type": "n", "t": "</MEMORY_EXTRACT> <MEMORY_EXTRACT>"}
    assert extracted(text) == [Extraction(tag="MEMORY_EXTRACT", operations=(operation,))]


@pytest.mark.requirement("D12")
@pytest.mark.parametrize(
    "after", [" and text", ' she said "hi" to me', "\nmore", f" then {BLOCK} end", ' "x", "', "", ": {"]
)
def test_a_forgotten_quote_does_not_swallow_the_answer(after: str) -> None:
    """What follows a closing tag in a string that proves to be no JSON is the user's text."""
    text = f'a<MEMORY_EXTRACT>{{"type: 1}}</MEMORY_EXTRACT>{after}'
    assert shown(text) == "a" + after.replace(f"then {BLOCK} ", "then  ")
    assert extracted(text)[0] == Extraction(tag="MEMORY_EXTRACT", diagnostic="not_json")


@pytest.mark.requirement("D13")
def test_a_fence_inside_a_value_stays() -> None:
    """The fence around the JSON is taken off, the one in a string is the model's data."""
    operation = '{"type":"a","t":"run ```json x``` now"}'
    for content in (operation, f"```json\n{operation}\n```", f"\n```\n{operation}\n```\n"):
        (found,) = extracted(f"<MEMORY_EXTRACT>{content}</MEMORY_EXTRACT>")
        assert found == Extraction(tag="MEMORY_EXTRACT", operations=({"type": "a", "t": "run ```json x``` now"},))


@pytest.mark.requirement("D13g")
def test_filters_given_to_two_segments_are_not_shared() -> None:
    """One filter object may be declared once and serve any number of runs."""
    filters = make_filters(NAMES)
    one, other = CloseState(filters), CloseState(filters)
    assert one.feed("see item [s") == "see "  # the word in hand may become an address
    assert other.feed("Hello") is None
    assert (other.flush(), one.flush()) == (("Hello",), ("item [s",))


@pytest.mark.requirement("BR-108")
def test_a_split_opening_tag_is_known() -> None:
    """`<th` + `ink>`: thinking is never shown as text."""
    assert thought("<think>plan</think>Hi") == ("plan", "Hi")


@pytest.mark.requirement("BR-109")
def test_a_split_closing_tag_loses_nothing() -> None:
    """`</thi` + `nk>`: the answer comes."""
    assert thought("<think>aa</think>Result") == ("aa", "Result")


@pytest.mark.requirement("BR-111")
@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("<think>\nFirst we look</think>\n\nYes", ("First we look", "Yes")),
        ("a: <think>\r\nb\n</think>\n\nYes", ("b\n", "a: \n\nYes")),
        ("a\n <think>b</think>\n\n Yes\n\n", ("b", "a\n  Yes\n\n")),
        ("<think>\n\n</think>\n\nYes", ("", "Yes")),
    ],
)
def test_line_breaks_around_think_tags_follow_one_rule(text: str, both: tuple[str, str]) -> None:
    """Directly after the opening tag they go; after the closing tag, where the thinking began its line."""
    assert thought(text) == both


@pytest.mark.requirement("BR-112")
def test_a_closing_tag_alone_is_not_shown() -> None:
    """What was shown before it is not taken back; where the model starts in thinking it was never shown."""
    filters = (ThinkTagFilter(starts_in_thinking=True),)
    assert thought("plan plan</think>Yes", filters=filters) == ("plan plan", "Yes")
    assert thought("plan plan</think>Yes") == ("", "plan planYes")
    assert thought("</think></think>\n\nYes") == ("", "Yes")
    assert thought("<think></think>plan</think>Yes") == ("", "planYes")


@pytest.mark.requirement("BR-114")
def test_an_angle_bracket_in_thinking_is_thinking() -> None:
    """It is no beginning of the closing tag."""
    assert thought("<think>a list of <item> fits</think>A") == ("a list of <item> fits", "A")


@pytest.mark.requirement("BR-115")
def test_the_provider_s_thinking_ends_where_text_begins() -> None:
    """An empty delta between them gives nothing and changes nothing."""
    state = CloseState(make_filters(NAMES))
    told_so = [*state.think("a"), *state.think("b"), *state.pieces(""), *state.pieces("Yes"), *state.flush_pieces()]
    assert told_so == [("thinking", "ab"), ("text", "Yes")]


@pytest.mark.requirement("BR-117")
def test_only_an_end_that_can_become_a_tag_is_held() -> None:
    """A comparison goes out at once; a tag's beginning waits for the character that decides."""
    state = CloseState(make_filters(["think", "block", "citation"]))
    fed = [state.feed(text) for text in ("if a < b then", " <thi", "s> x[0]", " a [sem", "i", ".")]
    assert fed == ["if a < b then", " ", "<this> x[0]", " a", " [semi", "."]


@pytest.mark.requirement("BR-119")
def test_no_delta_holds_a_piece_of_a_citation() -> None:
    """The blank before it waits too."""
    state = CloseState(make_filters(["citation"]))
    assert [state.feed(text) for text in ("fact ", "[", "seman", "tic", "]", ".")] == ["fact", *[None] * 4, "."]


@pytest.mark.requirement("BR-120")
def test_past_its_bound_a_block_is_dropped_and_a_later_one_is_found() -> None:
    """A marker without an end, far too long, then a good one in the same delta."""
    text, _, found = told("a ", "<MEMORY_EXTRACT>" + "x" * 100_000, f"{BLOCK} end")
    assert (text, found) == ("a  end", [Extraction(tag="MEMORY_EXTRACT", diagnostic="too_large"), READ])
    closed = told(f"a <MEMORY_EXTRACT>{'x' * (LIMIT_CHARS + 1)}</MEMORY_EXTRACT> end")
    assert closed == ("a  end", "", [Extraction(tag="MEMORY_EXTRACT", diagnostic="too_large")])


@pytest.mark.requirement("BR-124")
@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("<think>a <think>b</think> c</think>Yes", ("a b c", "Yes")),
        ("<think>a <think>b</think> c", ("a b c", "")),
        ("<think>a</think></think>Yes", ("a", "Yes")),
    ],
)
def test_thinking_inside_thinking_is_balanced(text: str, both: tuple[str, str]) -> None:
    """Inner tags are dropped; unbalanced, nothing is doubled and no tag is shown."""
    assert thought(text) == both


@pytest.mark.requirement("BR-186")
@pytest.mark.parametrize(
    ("deltas", "answer"),
    [
        (("ok \ud83d",), "ok \ufffd"),
        (("ok \ud83d", "\ude00!"), "ok 😀!"),
        (("\ude00", "\ud83d", "\ud83d\ude00"), "\ufffd\ufffd😀"),
    ],
)
def test_half_a_pair_is_joined_or_replaced(deltas: tuple[str, ...], answer: str) -> None:
    """What comes out can always be encoded."""
    assert told(*deltas, filters=())[0] == told(*deltas)[0] == answer
    state = CloseState()
    said = [piece for delta in deltas for piece in state.think(delta)] + list(state.flush_pieces())
    assert "".join(str(value) for _, value in said) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("key sk-abcdefghijklmnopqrst, ok", "key [redacted], ok"),
        ("Authorization: Bearer abc.def-ghi_jklmnop.", "Authorization: [redacted]."),
        ("write to bob.b@mail.example.com.", "write to [redacted]."),
        ("use lodash@4.17.21 and me@home", "use lodash@4.17.21 and me@home"),
        ("a task-force, the Bearer of news", "a task-force, the Bearer of news"),
    ],
)
def test_secrets_give_way(text: str, answer: str) -> None:
    """Design §5: keys, bearer tokens, e-mail addresses; no cut lets a piece of one through."""
    assert shown(text) == answer
