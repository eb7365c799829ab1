"""Treadle runs an agent's turn once, writes it down as one ordered event log, and speaks every wire from that log.

Names are loaded when they are first used: importing this package imports nothing else.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from treadle._version import __version__

if TYPE_CHECKING:
    from treadle.app.agent import Agent
    from treadle.app.runner import Runner
    from treadle.app.server import Server
    from treadle.errors import (
        CursorError,
        KeyReusedError,
        MisuseError,
        ModelError,
        PeerError,
        PlanError,
        RunFailedError,
        RunLogError,
        RunNotFoundError,
        StateError,
        ThreadBusyError,
        ToolError,
        TreadleError,
    )
    from treadle.plan.front_end import front_end_tool
    from treadle.plan.interrupts import interrupt
    from treadle.plan.questions import ask_user
    from treadle.plan.tools import Tool, stop_requested, tool
    from treadle.runtime.result import RunError, RunOutcome, RunResult
    from treadle.runtime.run_view import RunView
    from treadle.runtime.scoped_runs import StartedRun
    from treadle.runtime.typed_stream import typed_stream
    from treadle.runtime.watching import WatchedRecord
    from treadle.values.limits import Limits, Retries
    from treadle.values.pauses import Answer, Decision, PauseRules
    from treadle.values.requests import Attachment, TurnMessage, UserMessage
    from treadle.values.runs import RunStatus

_HOMES = {
    "Agent": "treadle.app.agent",
    "Answer": "treadle.values.pauses",
    "Attachment": "treadle.values.requests",
    "CursorError": "treadle.errors",
    "Decision": "treadle.values.pauses",
    "KeyReusedError": "treadle.errors",
    "Limits": "treadle.values.limits",
    "MisuseError": "treadle.errors",
    "ModelError": "treadle.errors",
    "PauseRules": "treadle.values.pauses",
    "PeerError": "treadle.errors",
    "PlanError": "treadle.errors",
    "Retries": "treadle.values.limits",
    "RunError": "treadle.runtime.result",
    "RunFailedError": "treadle.errors",
    "RunLogError": "treadle.errors",
    "RunNotFoundError": "treadle.errors",
    "RunOutcome": "treadle.runtime.result",
    "RunResult": "treadle.runtime.result",
    "RunStatus": "treadle.values.runs",
    "RunView": "treadle.runtime.run_view",
    "Runner": "treadle.app.runner",
    "Server": "treadle.app.server",
    "StartedRun": "treadle.runtime.scoped_runs",
    "StateError": "treadle.errors",
    "ThreadBusyError": "treadle.errors",
    "Tool": "treadle.plan.tools",
    "ToolError": "treadle.errors",
    "TreadleError": "treadle.errors",
    "TurnMessage": "treadle.values.requests",
    "UserMessage": "treadle.values.requests",
    "WatchedRecord": "treadle.runtime.watching",
    "ask_user": "treadle.plan.questions",
    "front_end_tool": "treadle.plan.front_end",
    "interrupt": "treadle.plan.interrupts",
    "stop_requested": "treadle.plan.tools",
    "tool": "treadle.plan.tools",
    "typed_stream": "treadle.runtime.typed_stream",
}

_EXTRAS = {"Server": "server"}

__all__ = [
    "Agent",
    "Answer",
    "Attachment",
    "CursorError",
    "Decision",
    "KeyReusedError",
    "Limits",
    "MisuseError",
    "ModelError",
    "PauseRules",
    "PeerError",
    "PlanError",
    "Retries",
    "RunError",
    "RunFailedError",
    "RunLogError",
    "RunNotFoundError",
    "RunOutcome",
    "RunResult",
    "RunStatus",
    "RunView",
    "Runner",
    "Server",
    "StartedRun",
    "StateError",
    "ThreadBusyError",
    "Tool",
    "ToolError",
    "TreadleError",
    "TurnMessage",
    "UserMessage",
    "WatchedRecord",
    "__version__",
    "ask_user",
    "front_end_tool",
    "interrupt",
    "stop_requested",
    "tool",
    "typed_stream",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 (whatever stands under that name)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'treadle' has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(home), name)
    except ModuleNotFoundError as missing:
        extra = _EXTRAS.get(name)
        if extra is None or (missing.name or "").startswith("treadle"):
            raise
        fix = f"python -m pip install 'treadle[{extra}]'"
        told = f"treadle.{name} needs the package {missing.name!r}; install it with: {fix}"
        raise ModuleNotFoundError(told, name=missing.name) from missing
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
