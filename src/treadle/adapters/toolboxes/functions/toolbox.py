"""Python functions as the tools of an agent.

In: checked requests. Out: what the functions return, in JSON terms. A coroutine function runs in the event loop, a
plain one in a thread of its own, an async generator step by step: every yield but the last is progress. Each sees the
context variables of its run.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Any, Final, NoReturn

from treadle.adapters.toolboxes.functions.threads import MAX_THREADS, Threads
from treadle.codec.foreign import json_terms, json_value
from treadle.errors import PlanError, ToolError
from treadle.framing.surrogates import whole_text
from treadle.plan.interrupts import ASKING, Asking
from treadle.plan.signatures import Checked
from treadle.plan.tools import STOP, Tool, ToolKind
from treadle.ports.toolbox import CallContext, CallInterrupted, StopFlag
from treadle.values.calls import ToolRequest
from treadle.values.mappings import Json, thawed
from treadle.values.tools import ToolSpec

_log = logging.getLogger("treadle.tools")

# A member of an enum is looked up by the enum's class, which is slow where every call does it.
_ASYNC: Final = ToolKind.ASYNC

MOST_NAMES: Final = 32
"""How many tools are named to a model that calls an unknown one."""
LONGEST_NAME: Final = 64
MOST_FOUND: Final = 256
"""How many checked requests are remembered until they are called."""


class FunctionToolbox:
    """The toolbox of functions declared with `@tool`."""

    def __init__(self, tools: Sequence[Tool[..., Any]], *, max_threads: int = MAX_THREADS) -> None:
        """Take tools in the order in which the model is told of them.

        Raises:
            PlanError: One of them cannot be a tool.
        """
        problems = tuple(problem for one in tools for problem in one.problems)
        if problems:
            raise PlanError(problems)
        self._tools: Mapping[str, Tool[..., Any]] = {one.name: one for one in tools}
        self._specs = tuple(one.spec for one in tools)
        self._threads = Threads(max_threads)
        # Arguments are part of a frozen value and held here, so nothing else can have their identity meanwhile.
        self._found: dict[tuple[str, int], tuple[Mapping[str, Any], Checked]] = {}

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools, in their order."""
        return self._specs

    def checked(self, request: ToolRequest, /) -> ToolRequest:
        """The request, with `damage` where the tool is unknown or the arguments do not fit."""
        checked = self._checked(request)
        if checked.damage is None:
            if len(self._found) >= MOST_FOUND:
                self._found.clear()
            # What was found of these very arguments is remembered for the call that follows.
            self._found[request.name, id(request.arguments)] = request.arguments, checked
        return request if checked.damage == request.damage else replace(request, damage=checked.damage)

    def needs_approval(self, request: ToolRequest, /) -> bool:
        """Whether the tool's own rule asks for a person. A rule that breaks asks for one."""
        asks = self._asks(request)
        if asks:
            # It runs when its run was read again, with other objects: what was found of these would only be held.
            self._found.pop((request.name, id(request.arguments)), None)
        return asks

    def _asks(self, request: ToolRequest) -> bool:
        rule = self._tools[request.name].options.requires_approval
        if not callable(rule):
            return rule
        try:
            return bool(rule(thawed(request.arguments)))
        except Exception:  # noqa: BLE001 (whatever a rule raises, the safe answer is to ask)
            _log.exception("the approval rule of tool %r failed in call %s", request.name, request.call_id)
            return True

    async def call(self, request: ToolRequest, context: CallContext, /) -> Json:
        """Run the function of a request.

        Raises:
            ToolError: The request is damaged, or the tool says in these words why it could not.
            CallInterrupted: The tool asks a person something that was not answered yet.
            RuntimeError: The function tried to end the process, or was cancelled though nobody stopped the call.
            Exception: What the function raised.
        Cancel:  A coroutine is cancelled; a plain function sees `stop_requested()` and is waited for. A second
            cancellation leaves it to itself.
        """
        found = self._found.pop((request.name, id(request.arguments)), None)
        checked = found[1] if found is not None and found[0] is request.arguments else self._checked(request)
        if checked.damage is not None:
            raise ToolError(checked.damage)
        stop = _Stop(context.stop)
        token = STOP.set(stop)
        try:
            tool = self._tools[request.name]
            if tool.options.interrupts or ASKING.get() is not None:
                return await self._run_asking(tool, checked.keywords, stop, context)
            if tool.kind is _ASYNC:
                return json_value(await tool.function(**checked.keywords))
            return await self._run(tool, checked.keywords, stop, context)
        except ToolError as told:
            raise ToolError(whole_text(str(told)) or "the tool gave no reason") from told
        except asyncio.CancelledError as stopped:
            _pass_on(stopped)
        except SystemExit as exit_asked:
            raise RuntimeError("the tool asked the process to exit") from exit_asked
        finally:
            STOP.reset(token)

    async def _run_asking(
        self, tool: Tool[..., Any], keywords: Mapping[str, Any], stop: _Stop, context: CallContext
    ) -> Json:
        """Run a function that may ask a person, or one within the call of another that may."""
        asking = Asking(context.answered) if tool.options.interrupts else None
        token = ASKING.set(asking)
        try:
            result = await self._run(tool, keywords, stop, context)
        except BaseException as ended:
            if asking is None or asking.asked is None or isinstance(ended, asyncio.CancelledError):
                raise
            # Whatever became of the signal on its way out (a group, a thread's own words), the call has asked.
            raise CallInterrupted(asking.asked) from None
        finally:
            ASKING.reset(token)
        if asking is not None and asking.asked is not None:
            raise RuntimeError("the tool caught the signal of its own interrupt; let it through")
        return result

    async def _run(self, tool: Tool[..., Any], keywords: Mapping[str, Any], stop: _Stop, context: CallContext) -> Json:
        if tool.kind is _ASYNC:
            return json_value(await tool.function(**keywords))
        function = partial(tool.function, **keywords)
        if tool.kind is ToolKind.BLOCKING:
            inside = partial(copy_context().run, function)
            made = await self._threads.run(inside, name=f"treadle tool {tool.name}", stop=stop.set)
        else:
            made = function()
        if inspect.isasyncgen(made):
            return await _last_step(made, context)
        if inspect.isawaitable(made):
            made = await made
        return json_terms(made)

    def _checked(self, request: ToolRequest) -> Checked:
        if request.damage is not None:
            return Checked(keywords={}, damage=request.damage)
        tool = self._tools.get(request.name)
        if tool is not None:
            return tool.parameters.check(request.arguments)
        names = ", ".join(repr(spec.name) for spec in self._specs[:MOST_NAMES])
        known = f"there are {names}" if names else "there are none"
        name = whole_text(request.name)[:LONGEST_NAME]
        return Checked(keywords={}, damage=f"no tool is called {name!r}; {known}")


class _Stop:
    """Set when the call is cancelled here, or when the run has said so before."""

    __slots__ = ("_here", "_run")

    def __init__(self, run: StopFlag) -> None:
        self._run = run
        self._here = False

    def set(self) -> None:
        self._here = True

    def is_set(self) -> bool:
        return self._here or self._run.is_set()


async def _last_step(steps: AsyncGenerator[Any, Any], context: CallContext) -> Json:
    """Give the last value that is yielded; the others are progress. None where nothing is yielded.

    A value is read when it is yielded: the generator may change it afterwards.
    """
    held: list[Json] = []
    async with aclosing(steps):
        async for step in steps:
            if held:
                await context.progress(held.pop())
            held.append(json_value(step))
    return held.pop() if held else None


def _pass_on(stopped: asyncio.CancelledError) -> NoReturn:
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise stopped
    # Nobody asked this call to stop: something that the tool waited for was cancelled, which is the tool's failure.
    raise RuntimeError("the tool was cancelled from within") from stopped
