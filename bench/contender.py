"""What a contender is: one file in contenders/, one class, four optional layers.

To add a row, put NAME.py into contenders/ (a peer: into contenders/peers/) that defines `CONTENDERS`, a list of objects
shaped like `Contender`, and run any layer script with `--only NAME`. A method that a contender does not have is not
measured.

L1  run(script)      an async iterator of the contender's own events for one whole agent run over `script`. A fresh run
                     each call; agents, graphs and models may be built once in __init__, as an application would.
    text_of(event)   the visible text one event carries, or None. Used outside the timed region, to check that nothing
    thought_of(event)  was lost or doubled.
L2  encoders()       name -> function(list of native events) -> iterable, async iterable or list of bytes or str
                     frames as they go on the wire.
L3  asgi()           an ASGI app whose POST /run?script=NAME&n=N streams one run, through the contender's own HTTP
                     surface where it has one; it pauses the model after the first delta when the request asks gate=1.
L4  filters()        name -> factory of an object with feed(str) -> str | None and flush() -> str.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from workload import Script

Frames = Iterable[bytes | str] | AsyncIterator[bytes | str]


class Contender:
    """One row of every table it has a method for."""

    name: str = "?"
    api: str = ""
    """The public call that L1 drives."""
    dists: tuple[str, ...] = ()

    def supports(self, script: Script) -> bool:  # noqa: ARG002 (a contender that leaves a workload out looks at it)
        """Whether it can run this script."""
        return True

    def run(self, script: Script) -> AsyncIterator[Any]:
        """Run the script once."""
        raise NotImplementedError

    def text_of(self, event: object) -> str | None:
        """The text of an event."""
        raise NotImplementedError

    def thought_of(self, event: object) -> str | None:  # noqa: ARG002 (not every contender has thinking)
        """The thinking of an event."""
        return None

    def encoders(self) -> Mapping[str, Callable[[list[Any]], Frames]]:
        """Ways from events to frames."""
        return {}

    def asgi(self) -> Callable[..., Any] | None:
        """The app to serve."""
        return None

    def filters(self) -> Mapping[str, Callable[[], Any]]:
        """Text filters."""
        return {}


def load(names: list[str]) -> list[Contender]:
    """The contenders of these modules."""
    out: list[Contender] = []
    for name in names:
        is_ours = (Path(__file__).parent / "contenders" / f"{name}.py").is_file()
        out.extend(importlib.import_module(f"contenders.{name}" if is_ours else f"contenders.peers.{name}").CONTENDERS)
    return out


def has(contender: Contender, method: str) -> bool:
    """Whether a contender has a method of its own by this name."""
    own = getattr(type(contender), method, None)
    return own is not None and own is not getattr(Contender, method)
