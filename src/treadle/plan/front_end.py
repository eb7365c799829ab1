"""A tool that the front end runs: declared without a function.

In: a name, words for the model, JSON schemas. Out: a tool like any other to the plan. A call of it is a pause that
shows the call; what the front end gives back is its result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NoReturn

from treadle.codec.json_schema import unchecked
from treadle.errors import StateError
from treadle.plan.schema_parameters import SchemaParameters
from treadle.plan.tools import Tool, ToolOptions
from treadle.values.mappings import EMPTY
from treadle.values.pauses import PauseKind


class FrontEndTool(Tool[..., Any]):
    """A tool whose calls the front end runs."""

    def __init__(self, options: ToolOptions, parameters: Mapping[str, Any]) -> None:
        super().__init__(_not_here, options)
        self._schema = parameters

    @cached_property
    def parameters(self) -> SchemaParameters:
        """What it may be called with."""
        return SchemaParameters(self._schema)

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Why this cannot be a tool; empty for a sound one."""
        words = unchecked(self.options.result_schema)
        wrong = f"tool {self.name!r}: its result demands what is not checked: {', '.join(words)}"
        return (*super().problems, *([wrong] if words else []))


def front_end_tool(
    name: str,
    *,
    description: str,
    parameters: Mapping[str, Any] = EMPTY,
    result: Mapping[str, Any] = EMPTY,
) -> FrontEndTool:
    """Declare a tool that the front end runs: a file picker, a map, the user's own clock.

    Args:
        name: What the model calls it.
        description: What the model is told of it.
        parameters: A JSON schema of an object, or of its `properties` alone with what else such a schema may say.
        result: A JSON schema of what the front end gives back; anything, without one.
    """
    options = ToolOptions(
        name=name,
        description=description,
        timeout_s=math.inf,
        asks=PauseKind.FRONT_END,
        result_schema=result,
    )
    return FrontEndTool(options, parameters)


def _not_here() -> NoReturn:
    raise StateError("this tool is run by the front end, not here")
