"""Values of who asks."""

from __future__ import annotations

import pytest

from treadle.server.access.principal import ABOUT_A_RUN, USER_ACTIONS, Action, Principal


def test_a_principal_is_counted_by_name_and_scope() -> None:
    """Ours: a token that is made anew does not make somebody else of its owner."""
    first = Principal(name="a", scope="s", until_s=1.0)
    second = Principal(name="a", scope="s", until_s=2.0, may=frozenset({Action.READ}))
    assert first == second
    assert len({first, second}) == 1
    assert Principal(name="a", scope="other") != first


@pytest.mark.parametrize("wrong", ["", None, 3])
def test_a_principal_has_a_name_and_a_scope(wrong: object) -> None:
    """Ours: an empty scope would be one that everybody shares."""
    with pytest.raises(ValueError, match="name"):
        Principal(name=wrong, scope="s")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ValueError, match="scope"):
        Principal(name="a", scope=wrong)  # type: ignore[arg-type]  # what is refused


def test_metrics_are_not_for_users_where_nothing_is_said() -> None:
    """Ours: metrics count the runs of every scope."""
    assert Principal(name="a", scope="s").may == set(USER_ACTIONS) == set(Action) - {Action.METRICS}


def test_actions_may_be_named_by_their_words_and_no_others() -> None:
    """Ours: a right that is spelled wrong is told when it is given."""
    assert Principal(name="a", scope="s", may=["read"]).may == {Action.READ}  # type: ignore[list-item]  # words do
    with pytest.raises(ValueError, match="raed"):
        Principal(name="a", scope="s", may=["raed"])  # type: ignore[list-item]  # what is refused


def test_what_is_done_to_one_run_is_named() -> None:
    """Ours: an action that is about a run is refused without one."""
    assert {Action.READ, Action.CANCEL, Action.DELETE, Action.ANSWER} == ABOUT_A_RUN
