"""A function's signature to what it may be called with.

In: a function. Out: a JSON schema for the model, a check for what the model then says, and the problems that a plan
reports. Arguments are checked strictly, by JSON types: a text is no number, and what the signature lacks is refused.

Source: JSON schema 2020-12, as pydantic writes it.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo

from treadle.codec.foreign import json_bytes
from treadle.plan.damage import damage_text
from treadle.plan.schema import argument_schema
from treadle.values.making import maker, quickly_made
from treadle.values.mappings import EMPTY, frozen

_NO_PARAMETERS: Final = EMPTY
_OPEN_KINDS: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
# Annotations are code of the tool's author: what they raise says that the tool cannot be declared.
_DECLARATION_FAULTS: Final = (PydanticUserError, TypeError, ValueError, NameError, AttributeError, SyntaxError)


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Arguments as the function takes them, or why it must not run."""

    keywords: Mapping[str, Any]
    damage: str | None = None


_checked = maker(Checked)


class Parameters:
    """What a function may be called with, by name.

    Shape: `schema` is a JSON schema of an object, deeply read-only; `problems` is empty for a function that can be
    a tool.
    """

    __slots__ = ("_fields", "_model", "problems", "schema")

    def __init__(self, *, names: tuple[str, ...], model: type[BaseModel] | None, problems: tuple[str, ...]) -> None:
        self._fields = tuple([(name, _field_name(at)) for at, name in enumerate(names)])
        self._model = model
        self.problems = problems
        self.schema: Mapping[str, Any] = frozen(argument_schema(model)) if model is not None else _NO_PARAMETERS

    def check(self, arguments: Mapping[str, Any]) -> Checked:
        """Arguments in JSON terms to keywords, defaults filled in, or to words for the model."""
        if self._model is None:
            return Checked(keywords={}, damage="the tool cannot be called")
        try:
            # The validator itself: a model's method only passes on to it, and every call comes through here.
            made = self._model.__pydantic_validator__.validate_json(json_bytes(arguments), strict=True)
        except ValidationError as error:
            return Checked(keywords={}, damage=damage_text(error))
        except Exception as error:  # noqa: BLE001 (a validator is the tool's own code: the border of a tool call)
            return Checked(keywords={}, damage=f"{type(error).__name__}: the arguments could not be checked")
        keywords = {}
        for name, field in self._fields:
            keywords[name] = getattr(made, field)
        return _checked(keywords=keywords)


def read_parameters(function: Callable[..., Any], described: Mapping[str, str], *, leave_out: int = 0) -> Parameters:
    """The parameters of a function, all but the first `leave_out` of them.

    Shape:  `described` gives texts by parameter, for those whose annotation has none.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())[leave_out:]
    except (TypeError, ValueError):
        return Parameters(names=(), model=None, problems=("its signature cannot be read",))
    problems: list[str] = []
    fields: dict[str, tuple[Any, FieldInfo]] = {}
    for parameter in parameters:
        problem = _kind_problem(parameter)
        if problem is None:
            try:
                annotation = _resolved(function, parameter)
                field = _field(parameter, annotation, described.get(parameter.name))
                argument_schema(_model({_field_name(0): field}))
            except _DECLARATION_FAULTS as error:
                problem = f"the type of {parameter.name!r} has no JSON schema: {_first_sentence(error)}"
            else:
                fields[_field_name(len(fields))] = field
        if problem is not None:
            problems.append(problem)
    if problems:
        return Parameters(names=(), model=None, problems=tuple(problems))
    return Parameters(names=tuple(one.name for one in parameters), model=_model(fields), problems=())


def _kind_problem(parameter: inspect.Parameter) -> str | None:
    if parameter.kind in _OPEN_KINDS:
        return f"{str(parameter).split(':')[0]!r} cannot be told to a model; name each parameter"
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        return f"{parameter.name!r} is positional only; a model calls by name"
    if parameter.annotation is inspect.Parameter.empty:
        return f"parameter {parameter.name!r} needs a type; write `{parameter.name}: Any` if every value will do"
    return None


def _resolved(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:  # noqa: ANN401 (an annotation)
    names = getattr(_innermost(function), "__globals__", {})
    holder = SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    return typing.get_type_hints(holder, globalns=names, include_extras=True)[parameter.name]


def _innermost(function: Any) -> Any:  # noqa: ANN401 (a callable of any kind)
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
    if not inspect.isroutine(function):
        function = type(function).__call__
    return getattr(function, "__func__", function)


def _field(parameter: inspect.Parameter, annotation: Any, description: str | None) -> tuple[Any, FieldInfo]:  # noqa: ANN401 (an annotation)
    # The model's own names are `p0`, `p1` …, so that a parameter may be called as a method of the model is.
    own: dict[str, Any] = {"alias": parameter.name, "validation_alias": parameter.name}
    if isinstance(parameter.default, FieldInfo):
        annotation = Annotated[annotation, parameter.default]
    elif parameter.default is not inspect.Parameter.empty:
        own["default"] = parameter.default
    parts = typing.get_args(annotation)[1:] if typing.get_origin(annotation) is Annotated else ()
    has_own = any(isinstance(part, FieldInfo) and part.description for part in parts)
    if description and not has_own:
        own["description"] = description
    return annotation, Field(**own)


def _model(fields: Mapping[str, tuple[Any, FieldInfo]]) -> type[BaseModel]:
    definitions: dict[str, Any] = dict(fields)
    return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **definitions)


def _field_name(at: int) -> str:
    return f"p{at}"


def _first_sentence(error: BaseException) -> str:
    sentence = next(iter(str(error).splitlines()), "").split(". ")[0].rstrip(".")
    return sentence or type(error).__name__
