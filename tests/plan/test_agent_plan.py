"""Declared agents to plans."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from treadle.errors import PlanError
from treadle.plan.agent_plan import DEFAULT_TOOL_TIMEOUT_S, AgentPlan, compile_plan
from treadle.plan.tools import tool
from treadle.values.limits import DEFAULT_LIMITS, Limits, Retries


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(timeout_s=1.0)
def wait(a: int) -> int:
    """Wait."""
    return a


@tool
def broken(a, *b: int) -> int:  # type: ignore[no-untyped-def]  # untyped on purpose
    """Cannot be a tool."""
    return a + len(b)


def plain(a: int) -> int:
    """A function that nobody declared."""
    return a


def test_a_plan_holds_what_was_declared() -> None:
    """Defaults are stated in one place (ours)."""
    assert compile_plan(name="calc") == AgentPlan(
        name="calc",
        instructions=None,
        tools=(),
        text_filters=("think",),
        limits=DEFAULT_LIMITS,
        retries=Retries(),
        tool_timeout_s=20.0,
    )
    plan = compile_plan(
        name="calc",
        instructions="Add.",
        tools=[add, wait, plain],
        text_filters=["redact", "block"],
        limits={"rounds": 3},
        retries={"attempts": 1},
        tool_timeout_s=5.0,
    )
    assert [(one.name, one.spec.timeout_s) for one in plan.tools] == [("add", 5.0), ("wait", 1.0), ("plain", 5.0)]
    assert plan.text_filters == ("block", "redact")
    assert plan.limits == Limits(rounds=3)
    assert plan.retries == Retries(attempts=1)
    assert add.spec.timeout_s is None


@pytest.mark.requirement("PLAN-1")
def test_all_problems_of_a_plan_are_told_at_once() -> None:
    """Whoever declares an agent mends it once, not problem by problem (ours)."""
    declared: Any = compile_plan
    with pytest.raises(PlanError) as caught:
        declared(
            name=" ",
            instructions=3,
            tools=[add, add, broken, "x"],
            text_filters=["nope"],
            limits={"rounds": 0},
            retries={"tries": 1},
            tool_timeout_s=-1,
        )
    assert caught.value.problems == (
        "an agent needs a name, came ' '",
        "instructions must be text, not 'int'",
        "tool_timeout_s must be above 0, or None for no limit, not -1",
        "tool 'broken': parameter 'a' needs a type; write `a: Any` if every value will do",
        "tool 'broken': '*b' cannot be told to a model; name each parameter",
        "tool 'str': it is not a function",
        "tool 'str': its signature cannot be read",
        "2 tools are called 'add'",
        "no text filter is called 'nope'; there are think, block, citation, redact",
        "limits: limit rounds must be above 0, or None for no limit, not 0",
        "retries: Retries.__init__() got an unexpected keyword argument 'tries'",
    )


@pytest.mark.parametrize(
    "field",
    [
        {"tools": "add"},
        {"tools": add},
        {"text_filters": "think"},
        {"limits": 3},
        {"limits": {"rounds": "3"}},
        {"retries": None},
        {"tool_timeout_s": math.nan},
        {"tool_timeout_s": True},
        {"tool_timeout_s": "20"},
        {"name": None},
    ],
)
def test_a_field_of_a_wrong_kind_is_one_problem(field: dict[str, Any]) -> None:
    """Told in words, not as an error from deep inside (ours)."""
    declared: Any = compile_plan
    with pytest.raises(PlanError) as caught:
        declared(**{"name": "calc", **field})
    assert len(caught.value.problems) == 1


def test_a_time_may_be_left_to_the_run() -> None:
    """None leaves a call to the run's wall clock (ours)."""
    assert compile_plan(name="calc", tools=[add], tool_timeout_s=None).tools[0].spec.timeout_s is None
    assert DEFAULT_TOOL_TIMEOUT_S == 20.0


@pytest.mark.requirement("PLAN-3")
def test_the_fingerprint_is_of_what_decides_answers() -> None:
    """Names, limits and times leave it as it is; words, tools, filters, model and options do not (ours)."""
    plan = compile_plan(name="calc", instructions="Add.", tools=[add])
    print_of = plan.fingerprint(model="m")
    same = compile_plan(
        name="other",
        instructions="Add.",
        tools=[add],
        limits={"rounds": 3},
        retries={"attempts": 1},
        tool_timeout_s=1.0,
    )
    assert same.fingerprint(model="m") == print_of
    assert len(print_of) == 64
    others = {
        plan.fingerprint(model="n"),
        plan.fingerprint(model="m", options={"temperature": 0}),
        compile_plan(name="calc", instructions="Add!", tools=[add]).fingerprint(model="m"),
        compile_plan(name="calc", tools=[add]).fingerprint(model="m"),
        compile_plan(name="calc", instructions="Add.", tools=[wait]).fingerprint(model="m"),
        compile_plan(name="calc", instructions="Add.", tools=[add], text_filters=[]).fingerprint(model="m"),
    }
    assert len(others) == 6
    assert print_of not in others
    options = {"a": [1, {"y": 1, "z": 2}], "b": 2}
    turned = {"b": 2, "a": [1, {"z": 2, "y": 1}]}
    assert plan.fingerprint(model="m", options=options) == plan.fingerprint(model="m", options=turned)


@pytest.mark.slow
def test_the_fingerprint_is_the_same_in_another_process() -> None:
    """A worker elsewhere finds the plan it needs (ours)."""
    code = (
        "from treadle.plan.agent_plan import compile_plan\n"
        "def look(a: int, b: set[str] = {'x', 'y', 'z'}) -> int:\n    return a\n"
        "print(compile_plan(name='n', tools=[look], text_filters=['redact', 'think']).fingerprint(model='m'))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1


@pytest.mark.requirement("OUTPUT-schema")
def test_an_output_is_among_the_facts_of_a_plan() -> None:
    """ADR 0045: a run of an agent with another output is not taken over."""
    plan = compile_plan(name="calc")
    declared = replace(plan, output={"type": "object"})
    prints = {one.fingerprint(model="m") for one in (plan, declared, replace(plan, output={"type": "object", "a": 1}))}
    assert len(prints) == 3
    assert declared.fingerprint(model="m") == replace(plan, output={"type": "object"}).fingerprint(model="m")
