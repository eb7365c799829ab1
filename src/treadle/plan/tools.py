"""A Python function to a tool that a model may call.

In: a function with typed parameters. Out: a `Tool`, which still is called like the function, and knows what a model is
told of it and whether given arguments fit. Runs nothing for a model: that is a toolbox.

Nothing is raised while a tool is declared. What is wrong with it stands in `problems`, and a plan reports the problems
of all its tools together.
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Generic, ParamSpec, TypeVar, overload

from treadle.plan.docstrings import Documentation, read_docstring
from treadle.plan.schema_parameters import SchemaParameters
from treadle.plan.signatures import Checked, Parameters, read_parameters
from treadle.ports.toolbox import StopFlag
from treadle.values.mappings import empty
from treadle.values.pauses import PauseKind
from treadle.values.tools import ToolSpec

P = ParamSpec("P")
R = TypeVar("R")

Approval = bool | Callable[[Mapping[str, Any]], bool]
"""Whether a person must allow a call: always, never, or as its arguments say."""

STOP: Final[ContextVar[StopFlag | None]] = ContextVar("treadle_stop", default=None)
"""The stop flag of the call that runs here. A toolbox sets it; a tool asks `stop_requested`."""

# The strictest rule among the providers we speak to.
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ToolKind(StrEnum):
    """How a function is run."""

    BLOCKING = "blocking"
    """A plain function: in a thread of its own."""
    ASYNC = "async"
    """A coroutine function: in the event loop."""
    STEPS = "steps"
    """An async generator function: all it yields but the last is progress, the last is its result."""


def stop_requested() -> bool:
    """Whether the run no longer wants the call that asks. For blocking tools, which nothing can interrupt.

    Shape:  False outside of a call.
    """
    flag = STOP.get()
    return flag is not None and flag.is_set()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOptions:
    """What a function does not say of itself. None leaves it to the function, or to the plan.

    Units: `timeout_s` is the longest one call may take; `math.inf` leaves it to the run's wall clock.
    """

    name: str | None = None
    description: str | None = None
    timeout_s: float | None = None
    idempotent: bool = False
    requires_approval: Approval = False
    interrupts: bool = False
    """It calls `interrupt`, and what it does before that may be done again."""
    asks: PauseKind | None = None
    """What a call of it is in place of being run."""
    result_schema: Mapping[str, Any] = field(default_factory=empty)


class Tool(Generic[P, R]):
    """A function that a model may call. Calling it runs the function, as if it were not there."""

    def __init__(
        self, function: Callable[P, R], options: ToolOptions, *, leave_out: int = 0, like: Tool[Any, Any] | None = None
    ) -> None:
        """`leave_out` parameters at the front are given by other means; `like` has the same parameters already."""
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.options = options
        self._leave_out = leave_out
        self._like = like
        self._methods: Tool[Any, Any] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Tool[..., R]:
        """The tool of a method: bound like the method, and without its first parameter for the model."""
        if instance is None:
            return self
        if self._methods is None:
            self._methods = Tool(self.function, self.options, leave_out=1)
        bound = self.function.__get__(instance, owner)
        return Tool(bound, self.options, like=self._methods)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        return self.options.name if self.options.name is not None else _name_of(self.function)

    @property
    def requires_approval(self) -> Approval:
        """Whether a person must allow a call."""
        return self.options.requires_approval

    @cached_property
    def kind(self) -> ToolKind:
        """How the function is run."""
        function = _called(self.function)
        if inspect.isasyncgenfunction(function):
            return ToolKind.STEPS
        return ToolKind.ASYNC if inspect.iscoroutinefunction(function) else ToolKind.BLOCKING

    @cached_property
    def spec(self) -> ToolSpec:
        """What the model is told. Of a tool with problems, what there is."""
        return ToolSpec(
            name=self.name,
            description=self.options.description if self.options.description is not None else self._docs.description,
            parameters=self.parameters.schema,
            timeout_s=self.options.timeout_s,
            idempotent=self.options.idempotent,
            asks=self.options.asks,
            result_schema=self.options.result_schema,
        )

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Why this cannot be a tool: all reasons, each naming the tool; empty for a sound one."""
        return tuple(
            f"tool {self.name!r}: {problem}"
            for problem in (*_option_problems(self), *_kind_problems(self.function), *self.parameters.problems)
        )

    def check(self, arguments: Mapping[str, Any]) -> Checked:
        """Whether the tool may run with these arguments, strictly by JSON types.

        Shape:  `arguments` in JSON terms. The answer holds keywords for the function, or words for the model.
        """
        return self.parameters.check(arguments)

    def timed(self, default_s: float | None) -> Tool[P, R]:
        """The same tool with this longest time of a call, where it states none itself."""
        if self.options.timeout_s is not None or default_s is None:
            return self
        timed = copy.copy(self)
        timed.options = replace(self.options, timeout_s=default_s)
        timed.__dict__.pop("spec", None)
        return timed

    @cached_property
    def _docs(self) -> Documentation:
        documented = _called(_inside_partials(self.function))
        return read_docstring(inspect.getdoc(documented)) if inspect.isroutine(documented) else Documentation()

    @cached_property
    def parameters(self) -> Parameters | SchemaParameters:
        """What the function may be called with."""
        if self._like is not None:
            return self._like.parameters
        return read_parameters(self.function, self._docs.parameters, leave_out=self._leave_out)


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_s: float | None = None,
    idempotent: bool = False,
    requires_approval: Approval = False,
    interrupts: bool = False,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...


def tool(  # noqa: PLR0913 (one for each thing that a tool may say of itself)
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_s: float | None = None,
    idempotent: bool = False,
    requires_approval: Approval = False,
    interrupts: bool = False,
) -> Tool[P, R] | Callable[[Callable[P, R]], Tool[P, R]]:
    """Declare a function as a tool: `@tool`, or `@tool(name=…, …)`.

    Shape:  the function is plain, a coroutine function, or an async generator function (all it yields but the last
            is progress, the last is its result). Its docstring's first paragraph describes it, its `Args:` section
            the parameters.
    Units:  `timeout_s` is the longest one call may take; None takes the plan's, `math.inf` the run's wall clock.
    Args:
        function: The function, when used without parentheses.
        name: What the model calls it; the function's own name by default.
        description: What the model is told of it; from the docstring by default.
        timeout_s: As above.
        idempotent: It may be run again after a crash without harm.
        requires_approval: Whether a person must allow a call, or a function of the arguments that says so.
        interrupts: It calls `interrupt`: it is called again from its beginning when it was answered, and what it does
            before it asks may be done again.
    """
    options = ToolOptions(
        name=name,
        description=description,
        timeout_s=timeout_s,
        idempotent=idempotent,
        requires_approval=requires_approval,
        interrupts=interrupts,
    )
    if function is not None:
        return Tool(function, options)
    return lambda declared: Tool(declared, options)


def _called(function: Any) -> Any:  # noqa: ANN401 (a callable of any kind)
    """What runs when `function` is called: the `__call__` of an object that has one, else itself."""
    own = inspect.isroutine(function) or isinstance(function, functools.partial | type) or not callable(function)
    return function if own else type(function).__call__


def _name_of(function: Any) -> str:  # noqa: ANN401 (a callable of any kind)
    function = _inside_partials(function)
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def _inside_partials(function: Any) -> Any:  # noqa: ANN401 (a callable of any kind)
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _option_problems(declared: Tool[Any, Any]) -> list[str]:
    problems = []
    if not _NAME.fullmatch(declared.name):
        problems.append("a name has 1 to 64 letters, digits, `_` or `-`; give one with name=…")
    timeout_s = declared.options.timeout_s
    if timeout_s is not None and not timeout_s > 0:
        problems.append(f"timeout_s must be above 0, not {timeout_s!r}")
    return problems


def _kind_problems(function: Any) -> list[str]:  # noqa: ANN401 (a callable of any kind)
    if not callable(function):
        return ["it is not a function"]
    if inspect.isgeneratorfunction(_called(function)):
        return ["a plain generator function cannot be a tool; make it `async def`"]
    return []
