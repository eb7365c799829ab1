"""The text of a forced call, taken apart while it grows."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.models.local.call_text import CallText, call_grammar
from treadle.values.tools import ToolSpec

NAMES = ("add", "add_all", "clock")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab}", max_size=3), inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.text("ab{}", max_size=3), VALUES, max_size=3)


def spec(name: str, parameters: dict[str, Any]) -> ToolSpec:
    """A tool of which only the name and the schema matter."""
    return ToolSpec(name=name, description="", parameters=parameters)


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """The text in pieces, cut anywhere."""
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def call(name: str, arguments: object) -> tuple[str, str]:
    """The text of a call, and the text of its arguments in it."""
    said = json.dumps(arguments, ensure_ascii=False)
    return json.dumps({"tool": name, "arguments": arguments}, ensure_ascii=False), said


@given(data=st.data(), name=st.sampled_from(NAMES), arguments=ARGUMENTS)
def test_however_a_call_is_cut_its_arguments_come_out_whole(
    data: st.DataObject, name: str, arguments: dict[str, Any]
) -> None:
    """Ours: how the engine cuts its text is not ours to show."""
    text, said = call(name, arguments)
    reader = CallText(NAMES)
    pieces = [reader.feed(piece) for piece in data.draw(cut(text))]
    assert (reader.name, "".join(pieces), reader.arguments) == (name, said, said)
    assert reader.end(cut=False) == ""


@given(data=st.data(), name=st.sampled_from(NAMES), arguments=ARGUMENTS)
def test_of_a_call_that_was_cut_off_everything_that_was_written_is_kept(
    data: st.DataObject, name: str, arguments: dict[str, Any]
) -> None:
    """Design: damaged argument text is kept raw."""
    text, said = call(name, arguments)
    head = len(text) - len(said) - 1
    length = data.draw(st.integers(0, len(text) - 1))
    reader = CallText(NAMES)
    pieces = [reader.feed(piece) for piece in data.draw(cut(text[:length]))]
    pieces.append(reader.end(cut=True))
    assert "".join(pieces) == reader.arguments == text[head:length]
    assert reader.name == (name if length >= head else None)


@given(data=st.data(), arguments=ARGUMENTS)
def test_no_more_than_one_brace_is_held_back(data: st.DataObject, arguments: dict[str, Any]) -> None:
    """Ours: argument text is shown as it grows."""
    text, said = call("add", arguments)
    reader = CallText(NAMES)
    fed = ""
    for piece in data.draw(cut(text)):
        reader.feed(piece)
        fed += piece
        grown = fed[len(text) - len(said) - 1 :] if reader.name else ""
        assert grown in (reader.arguments, reader.arguments + "}")


def test_a_text_that_is_no_call_has_no_name() -> None:
    """Ours: nothing is made of it, whoever wrote it."""
    reader = CallText(NAMES)
    assert reader.feed('{"tool": "nope", "arguments": {}}') == ""
    assert (reader.name, reader.arguments, reader.end(cut=False)) == (None, "", "")


def test_the_grammar_of_a_call_names_the_tool_and_its_arguments() -> None:
    """Ours: `{"tool": NAME, "arguments": OBJECT}`, in the spelling that the reader takes apart."""
    integer = {"type": "integer", "minimum": 0, "maximum": 9}
    add = spec("add", {"type": "object", "properties": {"a": integer}, "required": ["a"]})
    clock = spec("clock", {"type": "object", "properties": {}})
    grammar, problems = call_grammar([add, clock])
    assert problems == ()
    assert grammar == (
        r'root ::= (("{\"tool\": \"add\", \"arguments\": " ("{" ("\"a\": " ("0" | [1-9])) "}") "}")'
        r' | ("{\"tool\": \"clock\", \"arguments\": " ("{" "}") "}"))' + "\n"
    )


def test_problems_of_all_tools_are_told_with_their_names() -> None:
    """Ours: all at once, and none hides behind another."""
    grammar, problems = call_grammar([spec("one", {}), spec("two", {"type": "object"})])
    assert grammar == ""
    assert [problem.partition(": arguments")[0] for problem in problems] == ["tool 'one'", "tool 'two'"]
