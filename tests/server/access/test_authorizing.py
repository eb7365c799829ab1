"""The one place that says whether somebody may do something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.access.connections import ALICE, BOB, run_of
from treadle.errors import ForbiddenError, RunNotFoundError
from treadle.server.access.authorizing import authorize
from treadle.server.access.principal import ABOUT_A_RUN, Action, Principal

PRINCIPALS = st.builds(
    Principal, name=st.sampled_from("ab"), scope=st.sampled_from("st"), may=st.frozensets(st.sampled_from(Action))
)


@pytest.mark.requirement("ACCESS-foreign")
def test_a_run_of_another_scope_is_refused_like_one_that_is_not_there() -> None:
    """Ours: nobody can tell whose ids are in use."""
    refusals = []
    for run in (None, run_of(BOB)):
        with pytest.raises(RunNotFoundError) as told:
            authorize(ALICE, Action.READ, run)
        refusals.append((type(told.value), told.value.args))
    assert refusals[0] == refusals[1]


@pytest.mark.requirement("ACCESS-choke")
@given(principal=PRINCIPALS, action=st.sampled_from(Action), owner=st.none() | PRINCIPALS)
def test_exactly_what_is_granted_on_runs_of_ones_own_is_allowed(
    principal: Principal, action: Action, owner: Principal | None
) -> None:
    """Ours: the rule, stated a second time. A right that is missing is told before anything about a run."""
    run = None if owner is None else run_of(owner)
    try:
        authorize(principal, action, run)
        told: type[Exception] | None = None
    except (ForbiddenError, RunNotFoundError) as error:
        told = type(error)
    is_own = action not in ABOUT_A_RUN if owner is None else owner.scope == principal.scope
    assert told is (ForbiddenError if action not in principal.may else None if is_own else RunNotFoundError)
