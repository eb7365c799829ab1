"""Any life of runs in which people are asked, a few in every check and thousands in a soak."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.behaviour.test_lives import STEPS, no_logs
from tests.behaviour.waiting_lives import WaitingLives

__all__ = ["no_logs"]


@pytest.mark.slow
@pytest.mark.requirement("PAUSE-lives", "EV-3", "EV-5")
@pytest.mark.usefixtures("no_logs")
def test_in_any_life_with_people_runs_end_in_a_stated_way_and_nobody_is_paid_twice() -> None:
    """Ours: over answers, doubled and unfit ones, expiries, stops, new messages, crashes and recoveries."""
    run_state_machine_as_test(WaitingLives, settings=settings(max_examples=60, stateful_step_count=STEPS))


@pytest.mark.soak
@pytest.mark.usefixtures("no_logs")
def test_in_thousands_of_lives_with_people_too() -> None:
    """Ours: the same, drawn by the seed of the soak."""
    lives = settings().max_examples * 2 // 5
    run_state_machine_as_test(WaitingLives, settings=settings(max_examples=lives, stateful_step_count=60))
