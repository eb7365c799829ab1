"""The shapes of the UI message stream."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.repo.rules.tree import ROOT
from treadle.projections.vercel import wire
from treadle.projections.vercel.wire import RunsAt, ToolPart
from treadle.values import events as ev
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.outcome import InvocationOutcome
from treadle.values.usage import NO_USAGE, UsageDelta

RUN = RunId("r1")


def read(said: str) -> dict[str, Any]:
    """A chunk as the client reads it."""
    told: dict[str, Any] = json.loads(said)
    return told


def test_a_field_without_a_value_is_left_out() -> None:
    """Source: AI SDK, the chunk schema: null for an optional field ends the chat."""
    assert read(wire.chunk("abort", reason=None)) == {"type": "abort"}
    assert wire.chunk("abort", reason="x").startswith('{"type":"abort"')


@pytest.mark.parametrize(
    ("kind", "key", "terms"),
    [
        (TEXT, "r1.p2", {"type": "text-delta", "id": "r1.p2", "delta": "x"}),
        (THINKING, "r1.p1", {"type": "reasoning-delta", "id": "r1.p1", "delta": "x"}),
        (ARGUMENTS, 'c"1', {"type": "tool-input-delta", "toolCallId": 'c"1', "inputTextDelta": "x"}),
    ],
)
def test_a_template_is_the_chunk_without_its_text(kind: str, key: str, terms: dict[str, object]) -> None:
    """Design 8: byte templates where payloads repeat."""
    assert read(f'{wire.spoken(kind, key)}"x"}}') == terms


def test_a_part_has_one_id_from_start_to_end() -> None:
    """Source: BR-161, BR-166. The id of a passage is the run's and its number."""
    named = wire.part_id(RUN, 3)
    assert read(wire.part_start(TEXT, named)) == {"type": "text-start", "id": "r1.p3"}
    assert read(wire.part_end(THINKING, named)) == {"type": "reasoning-end", "id": "r1.p3"}


@pytest.mark.requirement("VERCEL-flags")
@pytest.mark.parametrize(
    ("runs_at", "flags"),
    [
        (RunsAt.SERVER, {"providerExecuted": True, "dynamic": True}),
        (RunsAt.PERSON, {"dynamic": True}),
        (RunsAt.PAGE, {}),
    ],
)
def test_every_chunk_of_a_call_says_alike_where_it_runs(runs_at: RunsAt, flags: dict[str, bool]) -> None:
    """Source: AI SDK. Chunks that disagree about `dynamic` make two parts of a call, and the second waits for ever."""
    part = ToolPart(call_id="c1", name="add", runs_at=runs_at)
    named = {"toolCallId": "c1", "toolName": "add", **flags}
    assert read(part.started()) == {"type": "tool-input-start", **named}
    assert read(part.available({"a": 1})) == {"type": "tool-input-available", **named, "input": {"a": 1}}
    past = {**named, "providerExecuted": True}
    assert read(part.available(None, is_past=True)) == {"type": "tool-input-available", **past, "input": None}
    unfit = {"type": "tool-input-error", **past, "input": "{", "errorText": "cut"}
    assert read(part.unfit("{", "cut")) == unfit


def test_a_title_is_shown_in_place_of_a_name() -> None:
    """Design 8: `opaque` shows step n of max, and nothing else."""
    part = ToolPart(call_id="c1", name="step", runs_at=RunsAt.SERVER, title="step 1/64")
    assert read(part.started())["title"] == read(part.available({}))["title"] == "step 1/64"


def test_an_output_may_be_null_and_says_how_long_it_took() -> None:
    """Source: AI SDK: `output` may be anything. A call that never ran has no time to tell."""
    assert read(wire.tool_output("c1", None)) == {"type": "tool-output-available", "toolCallId": "c1", "output": None}
    assert read(wire.tool_output("c1", [1], duration_ms=4.25))["toolMetadata"] == {"durationMs": 4.25}
    assert read(wire.tool_failure("c1", "no", duration_ms=4.25)) == {
        "type": "tool-output-error",
        "toolCallId": "c1",
        "errorText": "no",
        "toolMetadata": {"durationMs": 4.25},
    }
    assert read(wire.tool_progress("c1", 0.5))["preliminary"] is True


def test_integers_that_a_browser_would_round_are_text() -> None:
    """Source: BR-188. The client reads chunks by `JSON.parse`, and what waits for leave comes back as it was read."""
    part = ToolPart(call_id="c1", name="add", runs_at=RunsAt.SERVER)
    assert read(part.available({"id": 2**53}))["input"] == {"id": str(2**53)}
    assert read(wire.tool_output("c1", -(2**53)))["output"] == str(-(2**53))
    assert read(wire.data(wire.EXTENSION, {"payload": {"n": 2**60}}))["data"] == {"payload": {"n": str(2**60)}}


def test_data_parts_say_what_they_have() -> None:
    """Source: AI SDK: `data-NAME` with an id takes the place of the one before; a transient one is kept by nobody."""
    said = wire.data(wire.STAGE, {"phase": "started", "reason": None}, named="s1", transient=True)
    assert read(said) == {
        "type": "data-treadle-stage",
        "id": "s1",
        "data": {"phase": "started"},
        "transient": True,
    }


@pytest.mark.parametrize(
    ("at_s", "said"),
    [(None, None), (0.5, "1970-01-01T00:00:00.500Z"), (1e15, None), (1e300, None)],
)
def test_a_time_is_what_a_browsers_date_reads(at_s: float | None, said: str | None) -> None:
    """Ours: a time that is in nobody's calendar is none."""
    assert wire.moment(at_s) == said


@pytest.mark.requirement("VERCEL-usage")
def test_usage_is_what_was_reported() -> None:
    """Design promise 10: reported, or absent; a measured zero is told."""
    assert wire.usage_json(NO_USAGE) is None
    spent = UsageDelta(input_tokens=7, reported=frozenset({"output_tokens"}), unmeasured_rounds=1)
    assert wire.usage_json(spent) == {"inputTokens": 7, "outputTokens": 0, "unmeasuredRounds": 1}
    whole = UsageDelta(total_tokens=9, cache_read_tokens=1, cache_creation_tokens=2, reasoning_tokens=3)
    assert wire.usage_json(whole) == {
        "totalTokens": 9,
        "cachedInputTokens": 1,
        "cacheWriteTokens": 2,
        "reasoningTokens": 3,
    }


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        (None, "stop"),
        ("stop", "stop"),
        ("tool_calls", "stop"),
        ("length", "length"),
        ("content_filter", "content-filter"),
        ("other", "other"),
        ("end_of_days", "other"),
    ],
)
def test_a_label_becomes_a_reason_that_the_client_knows(label: str | None, reason: str) -> None:
    """Source: AI SDK, the chunk schema: an invented reason ends the chat."""
    outcome = InvocationOutcome(text="", stop_reason=label)
    assert wire.finish_reason(ev.Done(index=0, run_id=RUN, outcome=outcome)) == reason


def test_a_failure_is_its_code_and_a_sentence_that_is_always_the_same() -> None:
    """Design 8: a stable code and a fixed sentence everywhere; foreign text where the exposure says so."""
    assert wire.error_text("model_busy") == "model_busy: the model is overloaded"
    assert wire.error_text("their_own") == "their_own: the run failed"
    assert wire.error_text("internal", "KeyError") == "internal: a part of this side failed (KeyError)"
    assert read(wire.broken("stopping"))["errorText"].startswith("stopping: ")


def test_every_code_that_ends_a_run_has_its_sentence() -> None:
    """docs/errors.md lists how a run ends."""
    table = (ROOT / "docs" / "errors.md").read_text().split("## What is raised")[0]
    codes = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert len(codes) > 10
    assert [code for code in codes if wire.error_text(code).endswith(": the run failed")] == []


def test_ids_are_read_back_as_they_were() -> None:
    """Source: BR-129. An id is text of somebody's, and JSON on the wire."""
    before = wire.spoken(ARGUMENTS, CallId("a\nb"))
    assert read(f'{before}"x"}}')["toolCallId"] == "a\nb"
