"""A plan, a model and a request, joined to one attached run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treadle.ports.clock import Clock
from treadle.ports.model import Model
from treadle.ports.toolbox import Toolbox
from treadle.runtime.attached import RunParts
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.loop import RunLoop
from treadle.runtime.output_bound import CHECKPOINT
from treadle.runtime.reader import BOUND
from treadle.runtime.redaction import Redaction
from treadle.runtime.writer import Writer
from treadle.text.automaton import StreamFilter
from treadle.text.close_state import CloseState
from treadle.text.filters import by_name
from treadle.values.limits import RunRules
from treadle.values.pauses import DEFAULT_PAUSES, PauseRules
from treadle.values.requests import TurnRequest


def attach(  # noqa: PLR0913 (one for each thing it is made of)
    *,
    request: TurnRequest,
    model: Model,
    toolbox: Toolbox,
    clock: Clock,
    rules: RunRules,
    instructions: str | None,
    filters: Sequence[str | Callable[[], Any]],
    pauses: PauseRules = DEFAULT_PAUSES,
    read: bool,
) -> RunParts:
    """Make the parts of a run, ready to be driven.

    Shape: `filters` are names, or makers of an object with `feed` and `flush`.
    `read`: a reader will follow and bounds the run; without one it goes on as fast as it can.
    """
    runs = KindRuns(clock.now_s, bounded=read, limit=BOUND if read else CHECKPOINT)
    made = made_filters(filters)
    writer = Writer(run_id=request.run_id, runs=runs, state=CloseState(made), redaction=Redaction.among(made))
    loop = RunLoop(
        model=model,
        toolbox=toolbox,
        clock=clock,
        writer=writer,
        rules=rules,
        instructions=instructions,
        pauses=pauses,
    )
    return RunParts(request=request, runs=runs, loop=loop)


def made_filters(filters: Sequence[str | Callable[[], Any]]) -> list[StreamFilter]:
    """The filters that a plan names."""
    return [by_name(chosen) if isinstance(chosen, str) else chosen() for chosen in filters]
