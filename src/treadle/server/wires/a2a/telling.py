"""How a run is told as a task, wherever in it its reader begins.

In: a run as it stands, and what is the reader's own. Out: tellings, each with what is known before the run says
anything. Knows nothing of requests, so what was told can be told again.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from treadle.projections.a2a.pauses import TokenOf
from treadle.projections.a2a.project import TaskRun, submitted
from treadle.projections.a2a.telling import TaskTelling
from treadle.projections.a2a.wire import Shape
from treadle.server.folded_feed import FoldedTelling
from treadle.values.exposure import Exposure
from treadle.values.runs import RunState, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How a run is told to one reader. `first` is a frame that is known before the run says anything."""

    telling: TaskTelling
    first: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What stands before and behind each frame."""

    before: str = ""
    behind: str = ""


def task_telling(
    run: RunState,
    shape: Shape,
    around: Around,
    *,
    token_of: TokenOf,
    **how: Any,  # noqa: ANN401 (fields of a telling)
) -> TaskTelling:
    """How a run is told in a form of the wire."""
    return TaskTelling(
        shape=shape,
        context_id=run.thread_id,
        submitted_s=run.created_s,
        before=around.before,
        behind=around.behind,
        token_of=token_of,
        **how,
    )


def folded(telling: TaskTelling, exposure: Exposure) -> FoldedTelling:
    """A telling, behind the exposure of its mount."""
    return FoldedTelling(begin=TaskRun, options=telling, exposure=exposure)


def begun(run: RunState, telling: TaskTelling, prompt: str) -> Told:
    """A task that this reader's message has begun."""
    greeted = replace(telling, greeted=True)
    return Told(telling=greeted, first=submitted(run.run_id, greeted, prompt).frame())


def from_here(run: RunState, telling: TaskTelling, *, settled: frozenset[str] = frozenset()) -> Told:
    """A task that is told from where it stands. One that waits is over with that.

    Args:
        settled: Pauses that were answered while others are open: the task waits on, and its log does not say for what.
    """
    if run.next_index == 0:
        greeted = replace(telling, greeted=True)
        return Told(telling=greeted, first=TaskRun(run.run_id, greeted).frame())
    # A run that was answered is ready, and still to say that it goes on: its reader waits for that.
    rests = run.is_final or run.status is RunStatus.WAITING or bool(settled)
    return Told(telling=replace(telling, after=run.next_index - 1, rests=rests, settled=settled))
