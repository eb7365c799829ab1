"""Parameters that a JSON schema says."""

from __future__ import annotations

from treadle.plan.schema_parameters import SchemaParameters

PARAMETERS = SchemaParameters({"properties": {"kind": {"enum": ["png", "jpg"]}}, "required": ["kind"]})


def test_arguments_that_fit_are_handed_on_as_they_are() -> None:
    """Ours: there is no function whose defaults could be filled in."""
    checked = PARAMETERS.check({"kind": "png", "more": 1})
    assert (checked.keywords, checked.damage) == ({"kind": "png", "more": 1}, None)


def test_arguments_that_do_not_fit_are_told_in_words_for_the_model() -> None:
    """Ours: which argument, and what was expected."""
    told = PARAMETERS.check({"kind": "gif"}).damage
    assert told == '/kind: expected one of ["png","jpg"]'


def test_a_schema_of_parameters_is_of_an_object() -> None:
    """Ours: what a provider demands is filled in where it was left out."""
    assert SchemaParameters({}).schema == {"type": "object", "properties": {}}
    assert PARAMETERS.problems == ()


def test_a_demand_that_nobody_checks_is_a_problem() -> None:
    """Ours: damaged arguments never count as checked."""
    (problem,) = SchemaParameters({"properties": {"a": {"pattern": "^a"}}}).problems
    assert "pattern" in problem
