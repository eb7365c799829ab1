"""What the machine can be told."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import get_args

import pytest

from treadle.kernel.inputs import Input, ModelBroke, PartBroke, PauseAsk
from treadle.values.pauses import OnExpiry, PauseKind, PendingInterrupt


def test_what_a_person_is_to_be_asked_is_kept_as_it_was() -> None:
    """Design: a pause is bound to the exact arguments, also before it has its id."""
    asked, schema = {"arguments": {"paths": ["a"]}}, {"required": ["yes"]}
    ask = PauseAsk(kind=PauseKind.APPROVAL, request=asked, response_schema=schema)
    asked["arguments"]["paths"].append("b")
    schema["required"].append("no")
    assert (ask.request, ask.response_schema) == ({"arguments": {"paths": ("a",)}}, {"required": ("yes",)})
    assert (ask.expires_at, ask.on_expiry) == (None, OnExpiry.DECLINE)


def test_an_ask_has_the_fields_of_a_pause_but_its_ids() -> None:
    """Ours: ids are the machine's to give; all else is handed through, so nothing may be missing."""
    ids = {"interrupt_id", "call_id"}
    assert {field.name for field in fields(PauseAsk)} == {field.name for field in fields(PendingInterrupt)} - ids


@pytest.mark.parametrize("kind", [ModelBroke, PartBroke])
def test_what_broke_has_a_code(kind: type[ModelBroke | PartBroke]) -> None:
    """Ours: it becomes the code of the run's error, which callers branch on."""
    with pytest.raises(ValueError, match="needs a code"):
        kind(code="")


@pytest.mark.parametrize("kind", get_args(Input), ids=lambda kind: kind.__name__)
def test_an_input_cannot_be_changed_and_has_no_room_for_more(kind: type[Input]) -> None:
    """Design: frozen, with slots, keyword only."""
    assert "__slots__" in vars(kind)
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]  # every dataclass has it
    assert all(field.kw_only for field in fields(kind))


def test_an_input_is_frozen() -> None:
    """Ours: what was told stays what was told."""
    with pytest.raises(FrozenInstanceError):
        PartBroke().code = "other"  # type: ignore[misc]  # the fault under test
