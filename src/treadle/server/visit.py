"""A request that was let in: who asks, whose runs they see, and the run or the thread it is about.

In: a request, and the row of its route. Out: a visit, or a refusal. This is the way to every endpoint but the open
ones, so none can forget to ask.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request

from treadle.errors import RunNotFoundError
from treadle.runtime.scoped_runs import ScopedRuns
from treadle.server.access.authorizing import authorize
from treadle.server.access.entrance import Entry
from treadle.server.access.principal import Action
from treadle.server.parts import ServerParts
from treadle.values.ids import RunId
from treadle.values.runs import RunState

RUN, THREAD = "run_id", "thread_id"
"""The names that stand in paths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A request that may be answered.

    Shape: `runs` are those of the caller's scope. `run` is the run it is about, or the newest of the thread that it is
        about; None where it is about neither.
    """

    parts: ServerParts
    request: Request
    entry: Entry
    runs: ScopedRuns
    run: RunState | None

    @property
    def about(self) -> RunState:
        """The run it is about."""
        assert self.run is not None, "the path of this route names a run or a thread"
        return self.run

    def check(self, action: Action, run: RunState | None) -> None:
        """Refuse the caller what they may not do, where the request says otherwise than by its path what that is.

        Raises:
            ForbiddenError: They may not do this to any run.
            RunNotFoundError: The run is another scope's.
        """
        authorize(self.entry.principal, action, run)

    @property
    def may_answer(self) -> bool:
        """Whether the caller is one who may answer pauses: others are given no tokens."""
        return Action.ANSWER in self.entry.principal.may

    def still_allowed(self, run: RunState) -> Callable[[], Awaitable[bool]]:
        """What says later whether the caller may still read a run."""
        return may_still_read(self.parts, self.entry, run)


def may_still_read(parts: ServerParts, entry: Entry, run: RunState) -> Callable[[], Awaitable[bool]]:
    """What says later whether somebody who was let in may still read a run."""
    # Not the visit: an open stream would hold its request.
    entrance = parts.entrance
    return lambda: entrance.still_allowed(entry, Action.READ, run)


async def run_to_read(parts: ServerParts, entry: Entry, run_id: str) -> tuple[ScopedRuns, RunState]:
    """A run that somebody names who has come in already, and the runs that it is one of.

    Raises:
        ForbiddenError: They may read no run.
        RunNotFoundError: There is no such run, or it is another scope's.
    """
    runs = parts.within(entry.principal.scope)
    run = await _named(runs, run_id)
    authorize(entry.principal, Action.READ, run)
    if run is None:
        raise RunNotFoundError("no such run")
    return runs, run


async def let_in(
    parts: ServerParts,
    request: Request,
    action: Action | None,
    *,
    takes_ticket: bool,
    run_of: Callable[[Mapping[str, str]], RunId | None] | None = None,
) -> Visit:
    """Find out who asks and whether they may. `run_of` reads the run from the path; see `Route`.

    Args:
        action: What is done. None: that stands in the body, and whoever reads it asks `Visit.check`.
    Raises:
        UnauthenticatedError: Nobody is known by what the request carries.
        ForbiddenError: They may not do this to any run.
        RunNotFoundError: There is no such run or thread, or it is another scope's.
    """
    named = request.path_params.get(RUN) if run_of is None else run_of(request.path_params)
    run_id = RunId(named) if takes_ticket and named is not None else None
    entry = await parts.entrance.enter(request, run_id=run_id)
    runs = parts.within(entry.principal.scope)
    run = None
    if named is not None:
        run = await _named(runs, named)
    elif (thread_id := request.path_params.get(THREAD)) is not None:
        run = next(iter(await runs.runs(thread_id=thread_id, limit=1)), None)
    if action is not None:
        authorize(entry.principal, action, run)
    return Visit(parts=parts, request=request, entry=entry, runs=runs, run=run)


async def _named(runs: ScopedRuns, run_id: str) -> RunState | None:
    try:
        return await runs.state(run_id)
    except RunNotFoundError:
        return None
