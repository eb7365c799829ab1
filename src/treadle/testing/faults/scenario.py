"""Scenarios: a name, the turns behind it, and how a run against it should end.

A scenario is data; a request picks one by the model it names. The short makers below are how the catalogue is written,
and how a user writes another.

Tools that scenarios call: `add(a: int, b: int)`, `lookup(q: str)`, `ping()`, `fail()` (raises), `slow()` (never ends).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

from treadle.errors import PlanError
from treadle.testing.faults.steps import (
    Calls,
    Counts,
    Fragment,
    Reply,
    RoleOnly,
    Step,
    Text,
    Think,
    Turn,
)

Outcome = Literal["done", "error", "cancelled"]
Need = Literal["cancel", "round_limit", "stall_limit", "think_filter", "tool_deadline"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """How a run of one request should end. What is None here is left open."""

    outcome: Outcome
    code: str | None = None
    """The error's code; None unless the outcome is `error`."""
    text: str = ""
    """All text of the run that was shown and not taken back."""
    thinking: str = ""
    tools: tuple[tuple[str, int], ...] = ()
    """How often each tool ran; a tool that is not named did not run."""
    refused: int = 0
    """Calls that never ran, whose error the model was told."""
    cut: int = 0
    """Calls that were begun and never ran, because the run ended first."""
    usage: Counts | None = None
    """What the run reports in all; None: nothing was reported, and nothing is claimed."""
    requests: int | None = 1
    """Requests the provider sees; None where a retry policy decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One fault, or one honest stream.

    Shape:  turn k answers a request with k turns of the model after its last user message; the last turn, all beyond.
    """

    name: str
    says: str
    turns: tuple[Turn, ...]
    expected: Expected
    needs: tuple[Need, ...] = ()
    """What an agent must be set to, or a test must do, for the expected end. A round limit is one of three rounds."""
    cases: tuple[str, ...] = ()
    """Requirement ids this scenario stands for."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        problems = []
        if not self.turns:
            problems.append(f"scenario {self.name!r} has one turn or more")
        if (self.expected.outcome == "error") != (self.expected.code is not None):
            problems.append(f"scenario {self.name!r} has a code if it ends in error, and only then")
        if problems:
            raise PlanError(tuple(problems))


def say(*texts: str) -> tuple[Step, ...]:
    """Deltas of text."""
    return tuple(Text(text=text) for text in texts)


def think(*texts: str) -> tuple[Step, ...]:
    """Deltas of reasoning."""
    return tuple(Think(text=text) for text in texts)


def call(*fragments: Fragment) -> Calls:
    """One delta with these pieces of calls."""
    return Calls(fragments=fragments)


def calls(*fragments: Fragment) -> tuple[Step, ...]:
    """One delta a piece."""
    return tuple(call(fragment) for fragment in fragments)


def counts(input_tokens: int, output_tokens: int) -> Counts:
    """Counts with their sum as the total."""
    return Counts(input_tokens=input_tokens, output_tokens=output_tokens, total_tokens=input_tokens + output_tokens)


def reply(
    *steps: Step | Iterable[Step],
    write_bytes: int | None = None,
    line_end: bytes = b"\n",
    after_colon: bytes = b" ",
) -> Reply:
    """A reply of steps and groups of steps."""
    flat: list[Step] = []
    for step in steps:
        flat.extend(step if isinstance(step, Iterable) else (step,))
    return Reply(steps=tuple(flat), write_bytes=write_bytes, line_end=line_end, after_colon=after_colon)


def stream(*steps: Step | Iterable[Step]) -> Turn:
    """A turn with one reply, opened by the role as providers do."""
    return Turn(replies=(reply(RoleOnly(), *steps),))


def attempts(*replies: Reply) -> Turn:
    """A turn whose nth request gets the nth reply."""
    return Turn(replies=replies)


class More(TypedDict, total=False):
    """The fields of an expectation that have a default."""

    thinking: str
    tools: tuple[tuple[str, int], ...]
    refused: int
    cut: int
    usage: Counts | None
    requests: int | None


def done(text: str, **more: Unpack[More]) -> Expected:
    """A run that ends well."""
    return Expected(outcome="done", text=text, **more)


def fails(code: str, text: str = "", **more: Unpack[More]) -> Expected:
    """A run that ends in error."""
    return Expected(outcome="error", code=code, text=text, **more)
