"""Models of arguments to JSON schemas."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from treadle.plan.schema import argument_schema


def test_made_up_titles_are_left_out_and_a_parameter_called_title_stays() -> None:
    """Titles say what names say already, and cost tokens (ours)."""

    class Book(BaseModel):
        """Text that is kept."""

        title: str

    model = create_model("Arguments", __config__=ConfigDict(extra="forbid"), title=(str, ...), book=(Book, ...))
    assert argument_schema(model) == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "book": {"$ref": "#/$defs/Book"}},
        "required": ["title", "book"],
        "additionalProperties": False,
        "$defs": {
            "Book": {
                "description": "Text that is kept.",
                "type": "object",
                "properties": {"title": {"type": "string"}},
                "required": ["title"],
            }
        },
    }


def test_values_within_a_schema_are_left_alone() -> None:
    """A default or a choice that looks like a schema is none (ours)."""
    model = create_model("Arguments", a=(dict[str, Any], Field(default={"title": "x"})), b=(Literal["title"], ...))
    made = argument_schema(model)
    assert made["properties"]["a"]["default"] == {"title": "x"}
    assert made["properties"]["b"]["const"] == "title"


def test_a_default_that_json_cannot_say_is_left_out_without_a_warning() -> None:
    """Warnings are errors in our tests, so that none can pass (ours)."""
    model = create_model("Arguments", a=(Any, object()))
    assert argument_schema(model) == {"type": "object", "properties": {"a": {}}}


def test_no_fields_is_an_object_without_properties() -> None:
    """Providers want `properties` even where there are none (ours)."""
    assert argument_schema(create_model("Arguments")) == {"type": "object", "properties": {}}
