"""The one place that says whether somebody may do something. Every route asks here.

In: a principal, an action, the run it is about. Out: nothing, or a refusal. A run of another scope and a run that is
not there are one and the same refusal, so that nobody can tell whose ids are in use.
"""

from __future__ import annotations

from treadle.errors import ForbiddenError, RunNotFoundError
from treadle.server.access.principal import ABOUT_A_RUN, Action, Principal
from treadle.values.runs import RunState


def authorize(principal: Principal, action: Action, run: RunState | None) -> None:
    """Refuse what this principal may not do.

    Args:
        run: The run it is about, as the store knows it; None where there is none, or where the action is about none.
    Raises:
        ForbiddenError: It may not do this to any run, whether there is one or not.
        RunNotFoundError: There is no such run, or it is another scope's.
    """
    if action not in principal.may:
        raise ForbiddenError(f"{principal.name!r} may not {action}")
    foreign = run is not None and run.scope != principal.scope
    if foreign or (run is None and action in ABOUT_A_RUN):
        raise RunNotFoundError("no such run")
