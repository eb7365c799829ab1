"""Signatures to schemas and strict checks."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field

from treadle.plan.signatures import Checked, read_parameters
from treadle.values.mappings import frozen

if TYPE_CHECKING:
    from nowhere import Missing


class _Colour(enum.Enum):
    RED = "red"


class _Book(BaseModel):
    title: str
    pages: int = 1


@dataclass
class _Point:
    x: float


class _Plain:
    pass


def _broken(_: int) -> int:
    raise RuntimeError("hunter2")


def _odd_names(title: str, schema: int, model_config: int, self: int, _hidden: int, copy: int) -> None:
    pass


def test_parameters_types_defaults_and_descriptions_make_the_schema() -> None:
    """The model is told what the signature says; an annotation's own description wins (ours)."""

    def look(
        title: str,
        limit: Annotated[int, Field(ge=1, description="own words")] = 5,
        tags: list[str] = [],  # noqa: B006 (a default that could be changed)
        *,
        mode: Literal["a", "b"] = Field("a", description="the mode"),
    ) -> None:
        pass

    made = read_parameters(look, {"title": "the title", "limit": "not told", "mode": "not told"})
    assert made.problems == ()
    assert made.schema == frozen(
        {
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "the title"},
                "limit": {"type": "integer", "minimum": 1, "default": 5, "description": "own words"},
                "tags": {"type": "array", "items": {"type": "string"}, "default": []},
                "mode": {"type": "string", "enum": ["a", "b"], "default": "a", "description": "the mode"},
            },
            "required": ["title"],
            "additionalProperties": False,
        }
    )
    assert made.check({"title": "x"}).keywords == {"title": "x", "limit": 5, "tags": [], "mode": "a"}


def test_a_default_is_not_shared_between_calls() -> None:
    """A tool that changes its default argument does not change the next call (ours)."""

    def add(item: str, to: list[str] = []) -> None:  # noqa: B006 (as above)
        pass

    made = read_parameters(add, {})
    made.check({"item": "a"}).keywords["to"].append("a")
    assert made.check({"item": "b"}).keywords == {"item": "b", "to": []}


def test_arguments_become_what_the_annotations_name() -> None:
    """JSON has few types; a function gets its own (ours)."""

    def run(
        *,
        book: _Book,
        point: _Point,
        colour: _Colour,
        day: date,
        price: Decimal,
        place: Path,
        pair: tuple[int, str],
        seen: set[int],
        by_number: dict[int, str],
        anything: Any,  # noqa: ANN401 (what is tested)
    ) -> None:
        pass

    arguments = frozen(
        {
            "book": {"title": "t"},
            "point": {"x": 1},
            "colour": "red",
            "day": "2024-05-06",
            "price": "1.50",
            "place": "/a",
            "pair": [1, "a"],
            "seen": [2, 2],
            "by_number": {"1": "a"},
            "anything": {"deep": [None, 612345678901234567]},
        }
    )
    assert read_parameters(run, {}).check(arguments) == Checked(
        keywords={
            "book": _Book(title="t"),
            "point": _Point(x=1.0),
            "colour": _Colour.RED,
            "day": date(2024, 5, 6),
            "price": Decimal("1.50"),
            "place": Path("/a"),
            "pair": (1, "a"),
            "seen": {2},
            "by_number": {1: "a"},
            "anything": {"deep": [None, 612345678901234567]},
        }
    )


WRONG: list[tuple[type, object]] = [
    (int, "1"),
    (int, 1.5),
    (int, 1.0),
    (int, True),
    (int, None),
    (str, 1),
    (bool, "true"),
    (bool, 1),
    (float, "1.5"),
    (float, False),
    (list, "a"),
    (dict, ()),
    (_Book, {"title": 1}),
    (_Book, {"title": "t", "pages": "2"}),
    (_Colour, "blue"),
    (date, "soon"),
]


@pytest.mark.requirement("TOOL-2")
@pytest.mark.parametrize(("annotation", "value"), WRONG)
def test_a_value_of_a_wrong_type_is_refused_and_never_turned_into_a_right_one(annotation: type, value: object) -> None:
    """A text is no number and a number no text, inside a model as outside of it (ours)."""

    def run(a: object) -> None:
        pass

    run.__annotations__["a"] = annotation
    checked = read_parameters(run, {}).check({"a": value})
    assert checked.damage is not None
    assert checked.damage.startswith("argument 'a")
    assert checked.keywords == {}


def test_a_whole_number_is_a_float() -> None:
    """JSON knows one kind of number; nothing is lost by it (ours)."""

    def run(a: float) -> None:
        pass

    assert read_parameters(run, {}).check({"a": 1}) == Checked(keywords={"a": 1.0})


@pytest.mark.requirement("TOOL-2")
def test_missing_and_unknown_arguments_are_refused() -> None:
    """What the signature lacks is refused, as the schema says (ours)."""

    def run(a: int) -> None:
        pass

    made = read_parameters(run, {})
    assert made.check({}).damage == "argument 'a' is missing"
    assert made.check({"a": 1, "b": 2}).damage == "there is no argument 'b'"


def test_a_parameter_may_have_any_name() -> None:
    """Names that pydantic keeps for itself are a function's to use (ours)."""
    made = read_parameters(_odd_names, {})
    names = ("title", "schema", "model_config", "self", "_hidden", "copy")
    assert tuple(made.schema["properties"]) == names
    given: dict[str, Any] = dict.fromkeys(names, 1) | {"title": "t"}
    assert made.check(given) == Checked(keywords=given)


def test_a_parameters_own_check_is_followed() -> None:
    """Annotations carry checks of the tool's author (ours)."""

    def run(a: Annotated[int, AfterValidator(lambda value: value * 2)]) -> None:
        pass

    assert read_parameters(run, {}).check({"a": 2}).keywords == {"a": 4}


def test_a_check_that_breaks_is_damage_and_its_text_is_not_told() -> None:
    """A check is the tool's code: what it raises never reaches the run (ours)."""

    def run(a: Annotated[int, AfterValidator(_broken)]) -> None:
        pass

    damage = read_parameters(run, {}).check({"a": 2}).damage
    assert damage == "RuntimeError: the arguments could not be checked"


def test_every_problem_of_a_signature_is_told() -> None:
    """All at once, so that they are mended at once (ours)."""

    def run(a, b: int, /, c: Missing, d: _Plain, e: object, *f: int, **g: int) -> None:  # type: ignore[no-untyped-def]  # untyped on purpose
        pass

    run.__annotations__["e"] = "not python"
    problems = read_parameters(run, {}).problems
    assert [problem.split(";")[0] for problem in problems[:2]] == ["'a' is positional only", "'b' is positional only"]
    assert problems[2] == "the type of 'c' has no JSON schema: name 'Missing' is not defined"
    assert problems[3].startswith("the type of 'd' has no JSON schema: Unable to generate")
    assert problems[4].startswith("the type of 'e' has no JSON schema: ")
    assert problems[5:] == (
        "'*f' cannot be told to a model; name each parameter",
        "'**g' cannot be told to a model; name each parameter",
    )


def test_a_parameter_without_a_type_is_a_problem() -> None:
    """A model would have to guess; `Any` says that every value will do (ours)."""

    def run(a) -> None:  # type: ignore[no-untyped-def]  # untyped on purpose
        pass

    made = read_parameters(run, {})
    assert made.problems == ("parameter 'a' needs a type; write `a: Any` if every value will do",)
    assert made.schema == {}
    assert made.check({"a": 1}).damage == "the tool cannot be called"


def test_what_has_no_signature_is_a_problem() -> None:
    """Some built-in callables have none (ours)."""
    assert read_parameters(dict.fromkeys, {}).problems
    assert read_parameters(type, {}).problems == ("its signature cannot be read",)


def test_partials_wrapped_functions_methods_and_objects_are_read_where_their_types_can_be_found() -> None:
    """Annotations are text where a module asks for that; they are looked up where the function stands (ours)."""

    def run(a: _Book, b: int) -> None:
        pass

    @functools.wraps(run)
    def wrapper(*args: object, **kwargs: object) -> None:
        run(*args, **kwargs)

    class Thing:
        def __call__(self, a: _Book, b: int) -> None:
            pass

        def method(self, a: _Book, b: int) -> None:
            pass

    callables: list[Any] = [run, wrapper, Thing(), Thing().method, functools.partial(functools.partial(run), b=3)]
    for function in callables:
        made = read_parameters(function, {})
        assert made.problems == ()
        assert made.check({"a": {"title": "t"}, "b": 2}).keywords == {"a": _Book(title="t"), "b": 2}
    assert read_parameters(Thing.method, {}, leave_out=1).schema == read_parameters(run, {}).schema
