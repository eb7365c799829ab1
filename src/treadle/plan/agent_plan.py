"""A declared agent to a plan that can be run.

In: what a user wrote: instructions, tools, filters, limits. Out: a frozen plan, or all that is wrong with it at once.
Reaches nothing: no network, no file, no model.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from treadle.codec.foreign import json_bytes, json_value
from treadle.errors import PlanError
from treadle.plan.text_filters import FilterChoice, chosen_filters, filter_name
from treadle.plan.tools import Tool, tool
from treadle.values.limits import DEFAULT_LIMITS, Limits, Retries
from treadle.values.mappings import EMPTY, empty
from treadle.values.pauses import DEFAULT_PAUSES, PauseRules

DEFAULT_TEXT_FILTERS: Final = ("think",)
DEFAULT_TOOL_TIMEOUT_S: Final = 20.0
DEFAULT_RETRIES: Final = Retries()

# Far above any plan: two plans that differ only in what was left out would count as one.
_FACT_BYTES: Final = 1 << 40

AnyTool = Tool[..., Any]
V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlan:
    """An agent that can be run, as far as it does not depend on a model or a person.

    Shape: each tool's `spec.timeout_s` is the one that holds: its own, or the plan's.
    Units: `tool_timeout_s` is the longest a call of a tool without a time of its own may take; None leaves it to the
    run's wall clock.
    """

    name: str
    instructions: str | None = None
    tools: tuple[AnyTool, ...] = ()
    text_filters: tuple[FilterChoice, ...] = DEFAULT_TEXT_FILTERS
    limits: Limits = DEFAULT_LIMITS
    retries: Retries = DEFAULT_RETRIES
    tool_timeout_s: float | None = DEFAULT_TOOL_TIMEOUT_S
    pauses: PauseRules = DEFAULT_PAUSES
    output: Mapping[str, Any] = field(default_factory=empty)
    """The schema of what the answer is read into; empty where it is text."""

    def fingerprint(self, *, model: str, options: Mapping[str, Any] = EMPTY) -> str:
        """The SHA-256, in hex, of the facts that decide answers.

        Shape:  those are the instructions, what the model is told of the tools, the filters, the model and its
                options. The agent's name, its limits, times and retries are not among them.
        """
        facts: dict[str, Any] = {
            "filters": [filter_name(choice) for choice in self.text_filters],
            "instructions": self.instructions,
            "model": model,
            "options": _in_order(json_value(options)),
            "tools": [
                [one.spec.name, one.spec.description, _in_order(json_value(one.spec.parameters))] for one in self.tools
            ],
        }
        if self.output:
            facts["output"] = _in_order(json_value(self.output))
        return hashlib.sha256(json_bytes(json_value(facts, max_bytes=_FACT_BYTES))).hexdigest()


def compile_plan(  # noqa: PLR0913 (one for each thing that an agent declares)
    *,
    name: str,
    instructions: str | None = None,
    tools: Sequence[AnyTool | Callable[..., Any]] = (),
    text_filters: Sequence[Any] = DEFAULT_TEXT_FILTERS,
    limits: Limits | Mapping[str, Any] = DEFAULT_LIMITS,
    retries: Retries | Mapping[str, Any] = DEFAULT_RETRIES,
    tool_timeout_s: float | None = DEFAULT_TOOL_TIMEOUT_S,
    pauses: PauseRules | Mapping[str, Any] = DEFAULT_PAUSES,
) -> AgentPlan:
    """The plan of a declared agent.

    Shape:  a plain function among `tools` is taken as `@tool` would take it; limits, retries and pauses may be given
            as mappings of their fields.
    Raises:
        PlanError: The agent cannot run; `problems` names every reason.
    """
    problems = _word_problems(name=name, instructions=instructions, tool_timeout_s=tool_timeout_s)
    declared, tool_problems = _tools(tools)
    filters, filter_problems = chosen_filters(text_filters)
    bounds, limit_problems = _made(Limits, limits, "limits", DEFAULT_LIMITS)
    rules, retry_problems = _made(Retries, retries, "retries", DEFAULT_RETRIES)
    waits, pause_problems = _made(PauseRules, pauses, "pauses", DEFAULT_PAUSES)
    problems += tool_problems + filter_problems + limit_problems + retry_problems + pause_problems
    if problems:
        raise PlanError(tuple(problems))
    return AgentPlan(
        name=name,
        instructions=instructions,
        tools=tuple(one.timed(tool_timeout_s) for one in declared),
        text_filters=filters,
        limits=bounds,
        retries=rules,
        tool_timeout_s=tool_timeout_s,
        pauses=waits,
    )


def _word_problems(*, name: object, instructions: object, tool_timeout_s: object) -> list[str]:
    problems = []
    if not isinstance(name, str) or not name.strip():
        problems.append(f"an agent needs a name, came {name!r}")
    if instructions is not None and not isinstance(instructions, str):
        problems.append(f"instructions must be text, not {type(instructions).__name__!r}")
    if tool_timeout_s is not None and not _is_time(tool_timeout_s):
        problems.append(f"tool_timeout_s must be above 0, or None for no limit, not {tool_timeout_s!r}")
    return problems


def _tools(tools: object) -> tuple[list[AnyTool], list[str]]:
    if isinstance(tools, str) or not isinstance(tools, Sequence):
        return [], [f"tools must be a list of tools, not {type(tools).__name__!r}"]
    declared: list[AnyTool] = [one if isinstance(one, Tool) else tool(one) for one in tools]
    problems = [problem for one in declared for problem in one.problems]
    counts = Counter(one.name for one in declared)
    problems += [f"{count} tools are called {name!r}" for name, count in counts.items() if count > 1]
    return declared, problems


def _made(kind: type[V], given: object, what: str, default: V) -> tuple[V, list[str]]:
    if isinstance(given, kind):
        return given, []
    if not isinstance(given, Mapping):
        return default, [f"{what} must be {kind.__name__!r} or a mapping of its fields, not {given!r}"]
    try:
        return kind(**given), []
    except (TypeError, ValueError) as error:
        return default, [f"{what}: {error}"]


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0 and not math.isnan(value)


def _in_order(value: Any) -> Any:  # noqa: ANN401 (any JSON terms)
    """The same JSON terms with the keys of every mapping sorted: one value, one text."""
    if isinstance(value, Mapping):
        return {key: _in_order(value[key]) for key in sorted(value)}
    return [_in_order(item) for item in value] if isinstance(value, tuple) else value
