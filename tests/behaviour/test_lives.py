"""Any life of runs, a few in every check and thousands in a soak."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.behaviour.lives import Lives

STEPS = 40


@pytest.fixture
def no_logs() -> Iterator[None]:
    """What operators are told of models that break and stores that die is not shown."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.slow
@pytest.mark.requirement("RUNNER-lives", "EV-1", "EV-3", "EV-4", "EV-10")
@pytest.mark.usefixtures("no_logs")
def test_in_any_life_of_runs_logs_close_once_and_say_what_was_shown() -> None:
    """Ours: over start, speech, readers, stops, crashes, recoveries and new messages."""
    run_state_machine_as_test(Lives, settings=settings(max_examples=100, stateful_step_count=STEPS))


@pytest.mark.soak
@pytest.mark.usefixtures("no_logs")
def test_in_thousands_of_lives_too() -> None:
    """Ours: the same, drawn by the seed of the soak; two lives for five examples of a property."""
    lives = settings().max_examples * 2 // 5
    run_state_machine_as_test(Lives, settings=settings(max_examples=lives, stateful_step_count=60))
