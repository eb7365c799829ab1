"""An agent and a request, joined to one attached run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from treadle.ports.clock import Clock
from treadle.runtime.attached import RunParts
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.loop import RunLoop
from treadle.runtime.output_bound import CHECKPOINT
from treadle.runtime.reader import BOUND
from treadle.runtime.redaction import Redaction
from treadle.runtime.served import ServedAgent
from treadle.runtime.writer import Writer
from treadle.text.automaton import StreamFilter
from treadle.text.close_state import CloseState
from treadle.text.filters import by_name
from treadle.values.requests import TurnRequest


def attach(*, request: TurnRequest, served: ServedAgent, clock: Clock, read: bool) -> RunParts:
    """Make the parts of a run, ready to be driven.

    `read`: a reader will follow and bounds the run; without one it goes on as fast as it can.
    """
    runs = KindRuns(clock.now_s, bounded=read, limit=BOUND if read else CHECKPOINT)
    made = made_filters(served.filters)
    writer = Writer(run_id=request.run_id, runs=runs, state=CloseState(made), redaction=Redaction.among(made))
    loop = RunLoop(served=served, rules=served.rules, clock=clock, writer=writer)
    return RunParts(request=request, runs=runs, loop=loop)


def made_filters(filters: Sequence[str | Callable[[], Any]]) -> list[StreamFilter]:
    """The filters that a plan names. They are patterns: whoever feeds one feeds a copy."""
    return [_named(chosen) if isinstance(chosen, str) else chosen() for chosen in filters]


@cache
def _named(name: str) -> StreamFilter:
    return by_name(name)
