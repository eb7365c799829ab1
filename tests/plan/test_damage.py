"""Faults of arguments in words for the model."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from treadle.plan.damage import LONGEST_MESSAGE, LONGEST_VALUE, MOST_FAULTS, damage_text


def _told(model: type[BaseModel], value: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value, strict=True)
    return damage_text(caught.value)


def _model(**fields: object) -> type[BaseModel]:
    definitions: dict[str, Any] = fields
    return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **definitions)


def test_each_fault_names_the_argument_what_was_expected_and_what_came() -> None:
    """A model can mend what it is told of exactly (ours)."""
    told = _told(
        _model(a=(int, ...), b=(list[dict[str, int]], ...), c=(int, ...)), {"a": "1", "b": [{"k": None}], "z": 0}
    )
    assert told == (
        "argument 'a' should be a valid integer, came \"1\"; "
        "argument 'b[0].k' should be a valid integer, came null; "
        "argument 'c' is missing; "
        "there is no argument 'z'"
    )


def test_no_address_and_no_long_value_is_told() -> None:
    """The model's own text is not repeated to it at length (ours)."""
    told = _told(_model(a=(int, ...)), {"a": "x" * 10_000})
    assert "http" not in told
    assert len(told) < LONGEST_VALUE + 60
    assert told.endswith("…")


def test_faults_are_told_up_to_a_bound() -> None:
    """Many faults are told by their number (ours)."""
    told = _told(_model(a=(list[int], ...)), {"a": ["x"] * 100})
    assert told.count("argument") == MOST_FAULTS
    assert told.endswith("; and 92 more")


def test_a_validators_own_words_are_told_in_short() -> None:
    """What a parameter's own check says is meant for whoever gave the value (ours)."""

    def refuse(_: object) -> object:
        raise ValueError("even numbers only, " + "please " * 100)

    told = _told(_model(a=(Annotated[int, BeforeValidator(refuse)], ...)), {"a": 1})
    assert told.startswith("argument 'a' value error, even numbers only")
    assert len(told) < LONGEST_MESSAGE + LONGEST_VALUE


def test_half_a_surrogate_pair_in_a_name_is_replaced() -> None:
    """Nothing told to a model can fail to be encoded (BR-186)."""
    _told(_model(a=(int, Field(default=1))), {"\ud83d": 1}).encode()
