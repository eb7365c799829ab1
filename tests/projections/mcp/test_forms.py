"""Pauses as forms, and what comes back as answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.legal_logs import LegalRun, legal_runs
from tests.projections.mcp.hand import asking, interrupted, leave, pause, question
from treadle.codec.json_schema import faults
from treadle.errors import BadAnswerError
from treadle.projections.mcp.forms import APPROVED, REASON, Action, Elicited, answer_of, form_of
from treadle.runtime.answer_check import resolution_of
from treadle.values.events import PAUSE_TYPES
from treadle.values.mappings import thawed
from treadle.values.pauses import Decision, PauseKind, PendingInterrupt, Settlement

TOKEN = "token"


def said(content: Mapping[str, Any] | None = None, action: Action = Action.ACCEPT) -> Elicited:
    """What came back."""
    return Elicited(action=action, content=content or {})


def settled(content: Mapping[str, Any], pending: PendingInterrupt) -> Any:  # noqa: ANN401 (any JSON)
    """What a run is told of a form that was filled in."""
    resolution = resolution_of(pending, answer_of(said(content), pending, TOKEN), lambda _name, _arguments: None)
    assert resolution.settlement is Settlement.ANSWERED
    return thawed(resolution.value)


@pytest.mark.requirement("MCP-forms")
def test_a_question_is_a_choice() -> None:
    """MCP: a field of texts to choose from."""
    form = form_of(asking(), with_lists=True)
    assert form.message == "Which colour?"
    assert form.schema == {
        "type": "object",
        "properties": {
            "q1": {
                "type": "string",
                "title": "Colour",
                "description": "Which colour?\nred: warm",
                "enum": ["red", "blue"],
            }
        },
        "required": ["q1"],
    }
    assert settled({"q1": "blue"}, asking())["answers"][0]["chosen"] == ["blue"]


@pytest.mark.requirement("MCP-forms")
@pytest.mark.parametrize(
    "content", [{"q1_other": "mauve"}, {"q1": "", "q1_other": "mauve"}, {"q1": None, "q1_other": "mauve"}]
)
def test_other_words_have_a_field_of_their_own(content: Mapping[str, Any]) -> None:
    """Ours: a form has no field that is a choice or a text."""
    pending = asking(question(allow_other=True))
    schema = form_of(pending, with_lists=True).schema
    assert (list(schema["properties"]), schema["required"]) == (["q1", "q1_other"], [])
    assert settled(content, pending)["answers"][0] == {
        "question_id": "q1",
        "question": "Which colour?",
        "chosen": [],
        "other": "mauve",
    }
    assert settled({"q1": "red", "q1_other": ""}, pending)["answers"][0]["chosen"] == ["red"]


@pytest.mark.requirement("MCP-forms")
def test_several_choices_are_a_list_or_a_field_each() -> None:
    """MCP 2025-11-25: forms may have lists since then."""
    pending = asking(question(multi_select=True))
    with_lists = form_of(pending, with_lists=True).schema
    field = with_lists["properties"]["q1"]
    assert (field["items"], field["minItems"], field["maxItems"]) == ({"type": "string", "enum": ["red", "blue"]}, 1, 2)
    assert with_lists["required"] == ["q1"]
    without = form_of(pending, with_lists=False).schema
    assert {name: one["title"] for name, one in without["properties"].items()} == {"q1_1": "red", "q1_2": "blue"}
    assert without["required"] == []
    wanted = ["red", "blue"]
    assert settled({"q1": wanted}, pending)["answers"][0]["chosen"] == wanted
    assert settled({"q1_1": True, "q1_2": True}, pending)["answers"][0]["chosen"] == wanted
    assert settled({"q1_1": False, "q1_2": True}, pending)["answers"][0]["chosen"] == ["blue"]
    other = asking(question(multi_select=True, allow_other=True))
    assert form_of(other, with_lists=True).schema["properties"]["q1"]["minItems"] == 0


@pytest.mark.parametrize(("content", "named"), [({"q1": "red", "q7": "x"}, "q7"), ({}, "q1"), ({"q1": "green"}, "q1")])
def test_a_field_that_no_question_has_is_refused_and_not_lost(content: Mapping[str, Any], named: str) -> None:
    """Ours: nothing of what a person said is thrown away in silence, and nothing is made up for what was not."""
    answer = answer_of(said(content), asking(), TOKEN)
    with pytest.raises(BadAnswerError, match=named):
        resolution_of(asking(), answer, lambda _name, _arguments: None)


@pytest.mark.requirement("MCP-forms")
def test_leave_is_one_boolean_with_a_reason_and_the_call_is_shown_whole() -> None:
    """Design 8: a pause shows whoever may answer it exactly what it asks about."""
    pending = leave({"to": "Zoë", "note": "a\u202eb", "euros": 2**70})
    form = form_of(pending, with_lists=True)
    assert form.message == (
        f'May pay run with these arguments?\n{{\n  "to": "Zoë",\n  "note": "a\\u202eb",\n  "euros": {2**70}\n}}'
    )
    fields = {name: field["type"] for name, field in form.schema["properties"].items()}
    assert (fields, form.schema["required"]) == ({APPROVED: "boolean", REASON: "string"}, [APPROVED])
    answers = [
        answer_of(said(content), pending, TOKEN) for content in ({APPROVED: True, REASON: ""}, {APPROVED: False})
    ]
    assert [(one.decision, one.reason) for one in answers] == [(Decision.APPROVE, None), (Decision.DENY, None)]
    denied = answer_of(said({APPROVED: False, REASON: "too much"}), pending, TOKEN)
    assert (denied.decision, denied.reason) == (Decision.DENY, "too much")


@pytest.mark.requirement("MCP-forms")
@pytest.mark.parametrize(
    "content", [{}, {APPROVED: "true"}, {APPROVED: 1}, {APPROVED: None}, {APPROVED: True, REASON: 3}]
)
def test_leave_is_given_by_true_alone(content: Mapping[str, Any]) -> None:
    """Ours: what might be a yes is none."""
    with pytest.raises(BadAnswerError):
        answer_of(said(content), leave(), TOKEN)


@pytest.mark.requirement("MCP-forms")
@pytest.mark.parametrize("pending", [asking(), leave(), interrupted({}), pause(PauseKind.FRONT_END, {})])
def test_to_decline_is_a_no_and_to_dismiss_decides_nothing(pending: PendingInterrupt) -> None:
    """MCP: `decline` is an explicit no, `cancel` no choice at all."""
    assert answer_of(said(action=Action.DECLINE), pending, TOKEN).decision is Decision.DENY
    assert answer_of(said(action=Action.CANCEL), pending, TOKEN).decision is Decision.CANCEL


@pytest.mark.parametrize(
    ("payload", "message"),
    [(None, "confirm.place"), ("Here?", "confirm.place\nHere?"), ({"at": 3}, 'confirm.place\n{\n  "at": 3\n}')],
)
def test_an_interrupt_shows_its_name_and_its_payload(payload: object, message: str) -> None:
    """Ours: a named interrupt is written to be shown."""
    assert form_of(interrupted({}, payload), with_lists=True).message == message


def test_an_interrupt_is_answered_in_its_own_schema() -> None:
    """Ours: what a form cannot say is held against the answer all the same."""
    pending = interrupted({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]})
    assert settled({"ok": True}, pending) == {"ok": True}
    many = interrupted({"type": "array", "items": {"type": "integer"}})
    assert settled({"value": "[1, 2]"}, many) == [1, 2]
    with pytest.raises(BadAnswerError):
        answer_of(said({"value": "1 and 2"}), many, TOKEN)


def test_what_the_front_end_would_run_is_asked_for() -> None:
    """Ours: a client of this protocol runs nothing for an agent, but its user may know the result."""
    request = {"name": "pick_file", "arguments": {"kind": "pdf"}}
    pending = pause(PauseKind.FRONT_END, request, {"type": "string"})
    form = form_of(pending, with_lists=True)
    assert form.message == 'The result of pick_file is wanted, for these arguments:\n{\n  "kind": "pdf"\n}'
    assert settled({"value": "a.pdf"}, pending) == "a.pdf"


@pytest.mark.requirement("MCP-forms")
@given(run=legal_runs, with_lists=st.booleans())
def test_every_form_is_flat(*, run: LegalRun, with_lists: bool) -> None:
    """MCP: top-level properties of primitives alone; lists of texts where there may be lists."""
    kinds = {"string", "number", "integer", "boolean", *(["array"] if with_lists else [])}
    for event in run.events:
        for pending in event.pending if isinstance(event, PAUSE_TYPES) else ():
            schema = form_of(pending, with_lists=with_lists).schema
            assert schema["type"] == "object"
            assert set(schema["required"]) <= set(schema["properties"])
            assert {field["type"] for field in schema["properties"].values()} <= kinds
            assert faults(schema["required"], {"type": "array", "items": {"type": "string"}}) == ()
