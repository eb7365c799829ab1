"""The shapes of MCP."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.codec.foreign import json_bytes
from treadle.framing.surrogates import whole_text
from treadle.projections.mcp.wire import (
    LARGEST_EVENT,
    call_result,
    elicitation,
    fitting,
    message,
    own_meta,
    progress,
    progress_template,
    response,
    structured,
    usage_terms,
)
from treadle.values.ids import RunId
from treadle.values.usage import NO_USAGE, UNMEASURED_ROUND, UsageDelta


def result(*texts: str, output: object = None) -> dict[str, object]:
    """A result of a run that is called r1."""
    return call_result(texts, is_modern=True, is_error=False, output=output, meta={}, run_id=RunId("r1"))


@given(text=st.text(max_size=2_000), room=st.integers(2, 4_000))
def test_a_text_is_cut_to_what_there_is_room_for(text: str, room: int) -> None:
    """Ours: a client that gives up on a large event has lost all of it."""
    whole = whole_text(text)
    kept = fitting(whole, room)
    assert whole.startswith(kept)
    assert len(json_bytes(kept)) <= room
    assert kept == whole or len(json_bytes(whole)) > room


@pytest.mark.requirement("MCP-cut")
@pytest.mark.parametrize("sign", ["x", "é", "\u2028", "\x00", "😀"])
def test_a_result_that_is_too_large_says_what_is_missing(sign: str) -> None:
    """Promise: what is cut is never shown as whole; the client reads events of 1 MiB at most."""
    made = response("7", result("before", sign * 1_200_000))
    assert LARGEST_EVENT - 20_000 < len(made.encode()) <= LARGEST_EVENT
    content = json.loads(made)["result"]["content"]
    assert content[0]["text"] == "before"
    shown = len(content[0]["text"]) + len(content[1]["text"])
    assert content[2]["text"] == f"[cut: {shown} of 1200006 characters are here; run r1 holds all of it]"
    assert json.loads(made)["result"]["_meta"] == {"treadle/cut": True}


@pytest.mark.requirement("MCP-cut")
def test_what_comes_behind_a_cut_is_not_shown() -> None:
    """Ours: a text with a hole in it reads like another text."""
    content = result("x" * 1_200_000, "the end")["content"]
    assert isinstance(content, list)
    assert len(content) == 2


@pytest.mark.requirement("MCP-cut")
def test_a_structure_that_is_too_large_is_left_out_and_said_to_be() -> None:
    """Ours: half of a structure is none."""
    made = result("text", output={"rows": ["x" * 600_000]})
    assert ("structuredContent" not in made, made["isError"]) == (True, True)
    assert made["content"] == [
        {"type": "text", "text": "text"},
        {
            "type": "text",
            "text": "[cut: the structured output has 600013 bytes and is left out; run r1 holds all of it]",
        },
    ]


def test_a_structure_is_an_object() -> None:
    """MCP 2025-11-25: structuredContent is an object."""
    assert [structured(one) for one in (None, {"a": 1}, [1, 2], "x")] == [
        None,
        {"a": 1},
        {"result": [1, 2]},
        {"result": "x"},
    ]
    assert result("", output={"a": 1})["structuredContent"] == {"a": 1}


def test_messages_and_progress() -> None:
    """MCP: JSON-RPC 2.0, each on one line."""
    assert json.loads(message(method="m", params={"a": "\u2028"})) == {
        "jsonrpc": "2.0",
        "method": "m",
        "params": {"a": "\u2028"},
    }
    made = progress(progress_template('"p"'), 3, 'a"\u2028\ud800')
    assert json.loads(made)["params"] == {"progressToken": "p", "progress": 3, "message": 'a"\u2028\ufffd'}
    assert made.splitlines() == [made]


def test_what_is_our_own_stands_under_our_name() -> None:
    """MCP: names in `_meta` have a prefix."""
    assert own_meta(run_id="r1", nothing=None) == {"treadle/run_id": "r1"}


def test_usage_is_what_was_reported() -> None:
    """Promise: reported, or absent."""
    assert usage_terms(NO_USAGE) is None
    assert usage_terms(UNMEASURED_ROUND) is None
    measured = UsageDelta(input_tokens=3, reported=frozenset({"output_tokens"}))
    assert usage_terms(measured) == {"input_tokens": 3, "output_tokens": 0}
    assert usage_terms(measured + UNMEASURED_ROUND) == {"input_tokens": 3, "output_tokens": 0, "unmeasured_rounds": 1}


@pytest.mark.parametrize(("version", "mode"), [("2026-07-28", "form"), ("2025-11-25", "form"), ("2025-06-18", None)])
def test_the_first_version_with_forms_had_no_word_for_them(version: str, mode: str | None) -> None:
    """MCP 2025-06-18: an elicitation has a message and a schema."""
    assert elicitation("Why?", {"type": "object"}, version=version).get("mode") == mode
