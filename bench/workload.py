"""The one workload that every contender runs: a scripted model.

A script is a tuple of rounds. A round is what one model call streams: thinking deltas, then text deltas, then at most
one tool call whose JSON arguments come in chunks. A contender's fake model plays round k on its k-th call of a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

_WORDS = (
    "stream", "kernel", "event", "delta", "frame", "agent", "ordered", "typed",
    "cursor", "window", "budget", "replay", "buffer", "signal", "writer", "reader",
)  # fmt: skip

TOOL = "lookup"
TOOL_RESULT = "sunny, 21 degrees"


def arg_chunks(call_id: str) -> tuple[str, ...]:
    """Cut the arguments of a call in five. They differ from call to call: some loops stop a model that repeats."""
    return ('{"query"', ': "weat', "her in ", f'{call_id}"', "}")


@dataclass(frozen=True)
class Round:
    """What one model call streams."""

    think: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True)
class Script:
    """What the model says in one whole run."""

    name: str
    rounds: tuple[Round, ...]
    yields: bool = False
    """The model does `await asyncio.sleep(0)` before each delta."""

    @cached_property
    def text(self) -> str:
        """All text."""
        return "".join(s for r in self.rounds for s in r.text)

    @cached_property
    def thought(self) -> str:
        """All thinking."""
        return "".join(s for r in self.rounds for s in r.think)

    @cached_property
    def n(self) -> int:
        """Text plus thinking deltas: the divisor of cost per delta."""
        return sum(len(r.text) + len(r.think) for r in self.rounds)

    @cached_property
    def calls(self) -> int:
        """Tool calls."""
        return sum(r.call_id is not None for r in self.rounds)


def deltas(n: int, seed: int = 1) -> tuple[str, ...]:
    """Make n deltas of 8 to 16 characters, 12 on average, always the same, without `<` and `[`."""
    out = []
    x = seed
    for _ in range(n):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        a, b = _WORDS[x >> 8 & 15], _WORDS[x >> 16 & 15]
        out.append(f"{a} {b} "[: 8 + (x >> 20) % 9].ljust(8, "."))
    return tuple(out)


def build(name: str, n: int = 5000, rounds: int = 20) -> Script:
    """Make a script by name: `text`, `think`, `tools`, `once`, `rounds` or `rounds100`, any of them with `+yield`."""
    base, _, flag = name.partition("+")
    yields = flag == "yield"
    if base == "text":
        return Script(name, (Round(text=deltas(n)),), yields)
    if base == "think":
        half = n // 2
        return Script(name, (Round(think=deltas(half, 7), text=deltas(n - half)),), yields)
    if base == "tools":
        per = n // (rounds + 1)
        rs = [Round(text=deltas(per, 11 + i), call_id=f"call_{i:04d}") for i in range(rounds)]
        rs.append(Round(text=deltas(n - per * rounds, 5)))
        return Script(name, tuple(rs), yields)
    if base == "once":  # a whole run of one delta: the fixed price of a run
        return Script(name, (Round(text=deltas(1)),), yields)
    if base.startswith("rounds"):  # tool rounds with next to no text: the price of one round
        k = int(base[6:] or 20)
        rs = [Round(text=deltas(1, 11 + i), call_id=f"call_{i:04d}") for i in range(k)]
        rs.append(Round(text=deltas(1, 5)))
        return Script(name, tuple(rs), yields)
    raise ValueError(f"no workload {name!r}")
