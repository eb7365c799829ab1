"""The shapes of the plain wire."""

from __future__ import annotations

import json

import pytest

from treadle.projections.plain.wire import KINDS, speech_template
from treadle.values.events import EVENT_TYPES
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING


def test_every_kind_of_event_can_stand_on_the_wire() -> None:
    """Ours: what is published as the list of kinds is the list of kinds."""
    assert tuple(kind.kind for kind in EVENT_TYPES) == KINDS


@pytest.mark.parametrize(
    ("speech", "key", "terms"),
    [
        (TEXT, 2, {"kind": "text_delta", "index": 7, "run_id": "r1", "passage": 2, "text": "x"}),
        (THINKING, 1, {"kind": "thinking", "index": 7, "run_id": "r1", "passage": 1, "text": "x"}),
        (
            ARGUMENTS,
            CallId('c"1'),
            {"kind": "tool_arguments", "index": 7, "run_id": "r1", "call_id": 'c"1', "text": "x"},
        ),
    ],
)
def test_a_template_is_the_object_without_its_index_and_its_text(
    speech: str, key: int | CallId, terms: dict[str, object]
) -> None:
    """Issue: one kernel event with `kind` and `index`, first."""
    made = speech_template(speech, RunId("r1"), key)
    told = f'{made.before}7{made.between}"x"}}'
    assert (json.loads(told), list(json.loads(told))[:2]) == (terms, ["kind", "index"])
    assert made.kind == terms["kind"]
