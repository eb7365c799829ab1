"""Scripts of every kind, for what holds of any run that is played.

A script is drawn as lines of the notation, sound and damaged alike: tools that run, fail, are unknown or get bad
arguments; turns that are cut, break, and are asked again after something was shown.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st

from treadle.app.agent import Agent
from treadle.plan.tools import Tool
from treadle.testing.counting_tools import CountingTools
from treadle.testing.scripts import ScriptedModel
from treadle.values.limits import Limits, Retries

T = TypeVar("T")

_CALLS = (
    'call: add id=a {"a": 1, "b": 2}',
    'call: add id=a cut=3 {"a": 1, "b": "two"}',
    'call: lookup cut=4 {"q": "tea"}',
    'call: lookup id=b {"q": "t',
    "call: ping",
    "call: ping {}",
    "call: fail {}",
    'call: "no such tool" {}',
)
_SPEECH = (
    "text: Let me| see.",
    "text: a <th|ink>b</think> c",
    "text:  |<think>open",
    "text: <thi",
    "think: hm|, so",
    "whole: said at the end",
    "quiet",
    "usage: 3 1",
)
_ENDS = ("", "", "", "", "finish: length", "finish: content_filter", "eof", "error: busy retry_after=0", "raise: x")


def script(seed: int) -> str:
    """A script of one to four turns, some of them with a second attempt."""
    dice = Random(seed)
    turns = [_attempt(dice, ends=_ENDS) for _ in range(dice.randint(1, 4))]
    again = [turn + ("\n--- again\n" + _attempt(dice, ends=("",)) if dice.random() < 0.4 else "") for turn in turns]
    return "\n---\n".join([*again, "text: the end"])


def _attempt(dice: Random, *, ends: Sequence[str]) -> str:
    lines = [dice.choice(_SPEECH) for _ in range(dice.randint(0, 3))]
    lines += [dice.choice(_CALLS) for _ in range(dice.choice([0, 1, 1, 2, 3]))]
    if not any(line.startswith("whole") for line in lines):
        dice.shuffle(lines)
    return "\n".join([*lines, dice.choice(ends)]) or "quiet"


def agent_of(seed: int) -> Agent:
    """An agent that plays the script of this seed, within limits that some runs meet."""
    dice = Random(seed)
    tools: tuple[Tool[..., Any], ...] = CountingTools().tools
    return Agent(
        name="a",
        # A model that gives way to the loop can be stopped on the way.
        model=ScriptedModel.from_text(script(seed), yields=dice.random() < 0.5),
        tools=tools,
        instructions=dice.choice([None, "Be brief."]),
        limits=Limits(rounds=dice.choice([1, 2, 8]), tool_calls=dice.choice([1, 8]), tokens=dice.choice([None, 6])),
        retries=Retries(attempts=2, first_wait_s=0.0, after_output=dice.random() < 0.5),
    )


def played(run: Coroutine[Any, Any, T]) -> T:
    """What a run gives. What it tells operators of its breaks is not shown."""
    logging.disable(logging.CRITICAL)
    try:
        return asyncio.run(run)
    finally:
        logging.disable(logging.NOTSET)


seeds = st.integers(0, 2**32)
"""Runs by their seed."""
