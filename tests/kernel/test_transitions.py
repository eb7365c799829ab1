"""The table of where a run can stand and what is legal there."""

from __future__ import annotations

from typing import get_args

import pytest

from tests.kernel.plays import REQUEST, play
from treadle.errors import StateError
from treadle.kernel.inputs import CancelRequested, DeadlinePassed, Input, PartBroke, Started
from treadle.kernel.machine import Machine
from treadle.kernel.transitions import TRANSITIONS, Phase

Arrow = tuple[Phase, type[Input], Phase]
ARROWS: frozenset[Arrow] = frozenset(
    (here, kind, there) for (here, kind), ends in TRANSITIONS.items() for there in ends
)
MOST_PLAYS = 20_000
"""How many plays are tried; a thousand have been enough."""


def arrows_of(seed: int) -> set[Arrow]:
    """The arrows that one play goes along."""
    rules, inputs = play(seed)
    machine, gone = Machine(), set[Arrow]()
    for one in [Started(request=REQUEST, rules=rules), *inputs]:
        here = machine.phase
        try:
            machine.receive(one)
        except StateError:
            continue
        gone.add((here, type(one), machine.phase))
    return gone


@pytest.mark.slow
def test_plays_go_along_every_arrow_of_the_table_and_no_other() -> None:
    """Ours: an arrow that no run can take is a claim, and one that is not in the table is a hole."""
    gone: set[Arrow] = set()
    for seed in range(MOST_PLAYS):
        gone |= arrows_of(seed)
        if gone >= ARROWS:
            break
    assert ARROWS - gone == set()
    assert gone - ARROWS == set()


def test_the_table_knows_every_phase_and_every_input() -> None:
    """Ours: a phase without a row could not be left, an input without one could not be told."""
    assert {here for here, _ in TRANSITIONS} == set(Phase)
    assert {kind for _, kind in TRANSITIONS} == set(get_args(Input))


@pytest.mark.requirement("EV-4")
def test_nothing_leads_out_of_the_end() -> None:
    """EV-4: nothing after a final event."""
    assert {there for here, _, there in ARROWS if here is Phase.FINAL} == {Phase.FINAL}


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.NEW])
def test_a_run_can_be_stopped_wherever_it_stands(phase: Phase) -> None:
    """Design: a cancel, a passed deadline and a fault are inputs, never refused once a run has begun."""
    for kind in (CancelRequested, DeadlinePassed, PartBroke):
        assert (phase, kind) in TRANSITIONS


def test_every_phase_leads_to_the_end() -> None:
    """Ours: no run can get lost in a phase."""
    reach = {Phase.FINAL}
    for _ in Phase:
        reach |= {here for here, _, there in ARROWS if there in reach}
    assert reach == set(Phase)
