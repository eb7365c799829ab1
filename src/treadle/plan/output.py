"""What an agent's answer has to be, where it is a value: a JSON object that fits a schema.

In: a schema or a type, as it is declared; later an answer. Out: the schema, and the value of the answer or why it has
none.

Source: ADR 0045 (an output is the answer, held against a schema).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from treadle.codec.foreign import json_text
from treadle.codec.json_schema import faults, unchecked
from treadle.kernel.call_arguments import is_blank, read_arguments
from treadle.values.mappings import EMPTY, Json, frozen


def output_schema(declared: Any) -> tuple[Mapping[str, Any], tuple[str, ...]]:  # noqa: ANN401 (a schema or a type)
    """The schema that is declared, and what is wrong with it."""
    try:
        schema = declared if isinstance(declared, Mapping) else TypeAdapter(declared).json_schema()
    except (PydanticUserError, TypeError) as error:
        return EMPTY, (f"output must be a JSON schema, or a type that has one: {str(error).splitlines()[0]}",)
    problems = []
    if not _is_object(schema):
        problems.append("output must be an object, in JSON terms: a schema of type 'object', or a model with fields")
    if words := unchecked(schema):
        problems.append(f"output demands what is not checked: {', '.join(words)}")
    return frozen(schema), tuple(problems)


def output_of(answer: str, schema: Mapping[str, Any]) -> tuple[Json, str | None]:
    """The value of an answer and None, or None and why it has none.

    Shape:  the answer is one JSON object, with blanks round it or none; no fence, and no word beside it.
    """
    if is_blank(answer):
        return None, "it says nothing"
    value, damage = read_arguments(answer)
    if damage is None and not value:
        # No arguments may be said by `null` too; an object may not.
        damage = None if answer.strip().startswith("{") else "its contents are null"
    if damage is not None:
        return None, damage.replace("the arguments", "its contents", 1)
    if found := faults(value, schema):
        return None, "; ".join(str(fault) for fault in found)
    return frozen(value), None


def output_block(schema: Mapping[str, Any]) -> str:
    """What a model is told of it."""
    return f"Answer with one JSON object that fits this JSON schema, and with nothing else: {json_text(schema)}"


def _is_object(schema: Mapping[str, Any]) -> bool:
    """Whether only objects fit: said at the top, or by the definition that the top refers to."""
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        schema = schema.get("$defs", {}).get(reference.removeprefix("#/$defs/"), {})
    return schema.get("type") == "object"
