"""Tools without functions: each gives what it is told to give.

In: checked requests. Out: the values of the script, in JSON terms. Knows no Python function and no server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from treadle.codec.foreign import json_value
from treadle.errors import PlanError, ToolError
from treadle.ports.toolbox import CallContext
from treadle.values.calls import ToolRequest
from treadle.values.mappings import Json
from treadle.values.tools import ToolSpec


class Hang(Enum):
    """The one value of a tool that does not return."""

    HANG = "hang"


HANG: Final = Hang.HANG

_JSON_TYPES: Final = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeTool:
    """One tool and what it gives.

    Shape: `gives` is a value, an exception that is raised, or `HANG`: it ends only when it is cancelled. `parameters`
    maps names to types of JSON (`str`, `int`, `float`, `bool`, `list`, `dict`); all of them are needed. `progress` is
    told before the end.
    """

    name: str
    gives: Any = None
    parameters: Mapping[str, type] = field(default_factory=dict)
    progress: tuple[Any, ...] = ()
    requires_approval: bool = False
    timeout_s: float | None = None

    @property
    def spec(self) -> ToolSpec:
        """What a model is told."""
        properties = {name: {"type": _JSON_TYPES[kind]} for name, kind in self.parameters.items()}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        return ToolSpec(name=self.name, description="", parameters=schema, timeout_s=self.timeout_s)

    def damage_of(self, arguments: Mapping[str, Any]) -> str | None:
        """Why it cannot be called with these, in words for the model; None where it can."""
        for name in sorted(arguments.keys() ^ self.parameters.keys()):
            return f"{name!r} is {'not expected' if name in arguments else 'missing'}"
        for name, kind in self.parameters.items():
            if not _is_a(arguments[name], kind):
                return f"{name!r} must be of type {_JSON_TYPES[kind]}, not {type(arguments[name]).__name__}"
        return None


class FakeToolbox:
    """The toolbox port for tests.

    Shape: `calls` holds the requests that ran, in the order in which they began; `running` counts those under way.
    """

    def __init__(self, *tools: FakeTool) -> None:
        """Take tools in the order in which the model is told of them.

        Raises:
            PlanError: Two of them have one name, or a parameter has a type that JSON does not know.
        """
        self._tools = {tool.name: tool for tool in tools}
        problems = (
            [] if len(self._tools) == len(tools) else [f"tools need names of their own: {[t.name for t in tools]!r}"]
        )
        problems += [
            f"tool {tool.name!r}: parameter {name!r} is of a type of JSON, not {kind!r}"
            for tool in tools
            for name, kind in tool.parameters.items()
            if kind not in _JSON_TYPES
        ]
        if problems:
            raise PlanError(tuple(problems))
        self.calls: list[ToolRequest] = []
        self.running = 0

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools, in their order."""
        return tuple(tool.spec for tool in self._tools.values())

    def checked(self, request: ToolRequest, /) -> ToolRequest:
        """The request, with `damage` where the tool is unknown or the arguments do not fit."""
        if request.damage is not None:
            return request
        tool = self._tools.get(request.name)
        damage = f"no tool is called {request.name!r}" if tool is None else tool.damage_of(request.arguments)
        return request if damage is None else replace(request, damage=damage)

    def needs_approval(self, request: ToolRequest, /) -> bool:
        """Whether the tool was told to ask."""
        return self._tools[request.name].requires_approval

    async def call(self, request: ToolRequest, context: CallContext, /) -> Json:
        """Give what the tool was told to give; see the port."""
        damage = self.checked(request).damage
        if damage is not None:
            raise ToolError(damage)
        tool = self._tools[request.name]
        self.calls.append(request)
        self.running += 1
        try:
            for step in tool.progress:
                await context.progress(json_value(step))
            if tool.gives is HANG:
                await asyncio.Event().wait()
            if isinstance(tool.gives, Exception):
                raise tool.gives
            return json_value(tool.gives)
        finally:
            self.running -= 1


def _is_a(value: Any, kind: type) -> bool:  # noqa: ANN401 (any JSON value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is dict:
        return isinstance(value, Mapping)
    if kind is list:
        return isinstance(value, list | tuple)
    return type(value) is kind
