"""A pydantic model to the JSON schema that a model is told.

In: the model of a tool's arguments. Out: its JSON schema without the titles that pydantic makes up from names: they
say nothing new and cost tokens with every request.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

# Under these keys stand schemas by name; a name may be `title` too.
_NAMED: Final = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
# Under these stand values, not schemas.
_VALUES: Final = frozenset({"default", "enum", "const", "examples"})


class _Quiet(GenerateJsonSchema):
    """A default that JSON cannot say is left out of the schema without a warning; it still is the default."""

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {  # noqa: RUF012 (declared so where it is inherited from)
        "skipped-choice",
        "non-serializable-default",
    }


def argument_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an object with the model's fields.

    Raises:
        PydanticUserError: A field has a type that JSON schema cannot say.
    """
    made: dict[str, Any] = _untitled(model.model_json_schema(schema_generator=_Quiet))
    made.pop("description", None)
    return {"type": "object", "properties": {}, **made}


def _untitled(schema: Any) -> Any:  # noqa: ANN401 (a schema, a list of them, or what stands in one)
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _part(key, item) for key, item in schema.items() if key != "title" or not isinstance(item, str)}


def _part(key: str, item: Any) -> Any:  # noqa: ANN401 (as above)
    if key in _VALUES:
        return item
    if key in _NAMED and isinstance(item, dict):
        return {name: _untitled(named) for name, named in item.items()}
    return _untitled(item)
