"""A JSON schema to what a tool may be called with.

In: a schema that somebody wrote. Out: the schema of an object for the model, a check for what the model then says, and
the problems that a plan reports. As `signatures` does it for a function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.codec.json_schema import faults, unchecked
from treadle.plan.signatures import Checked
from treadle.values.mappings import frozen


class SchemaParameters:
    """What a tool may be called with, where a JSON schema says it. As `Parameters` for a function's signature."""

    __slots__ = ("problems", "schema")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema: Mapping[str, Any] = frozen({"type": "object", "properties": {}, **schema})
        words = unchecked(self.schema)
        self.problems = (f"its parameters demand what is not checked: {', '.join(words)}",) if words else ()

    def check(self, arguments: Mapping[str, Any]) -> Checked:
        """Arguments in JSON terms as they are, or words for the model."""
        wrong = faults(arguments, self.schema)
        return Checked(keywords=arguments, damage="; ".join(map(str, wrong)) or None)
