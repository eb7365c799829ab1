"""Where kills are aimed at, and which of those that hit are different."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from treadle.cli.demos.kill_points import START_UNITS, TWICE, Aim, KillPoint, aims, different
from treadle.cli.demos.loom import PIECE_S, TOOL_S


@given(st.integers(1, 80), st.integers(0, 5), st.integers(1000, 9000))
def test_aims_lie_all_over_a_run(rounds: int, seed: int, run_units: int) -> None:
    """docs/demos.md: each stretch of a run is aimed at once, from before its first event on, whatever the seed."""
    planned = aims(rounds, run_units=run_units, chance=Random(seed))
    stretch = (run_units + START_UNITS) / rounds
    firsts = sorted(aimed[0].units for aimed in planned)
    assert [int((first + START_UNITS) // stretch) for first in firsts] == list(range(rounds))
    assert [len(aimed) for aimed in planned] == [1 if at % TWICE else 2 for at in range(1, rounds + 1)]
    assert all(aimed[-1].units >= aimed[0].units and 0 <= aimed[-1].share < 1 for aimed in planned)


def test_the_same_seed_aims_at_the_same() -> None:
    """docs/demos.md: the seed is told, so that a run of kills can be made again."""
    first, again, other = (aims(9, run_units=4000, chance=Random(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_a_kill_waits_for_a_share_of_the_pause_that_it_falls_into() -> None:
    """Ours: a phase without events is hit in its middle too."""
    aim = Aim(units=0, share=0.5)
    assert (aim.wait_s("tool running"), aim.wait_s("text")) == (TOOL_S / 2, PIECE_S / 2)


def test_a_few_milliseconds_do_not_make_another_point() -> None:
    """docs/demos.md: different is where the reader stood at another event, or the run in another phase."""
    text = KillPoint(round=1, phase="text", index=7, waited_ms=1.0)
    later = KillPoint(round=1, phase="text", index=7, waited_ms=2.0)
    ended = KillPoint(round=1, phase="turn ended", index=8, waited_ms=2.0)
    nothing = KillPoint(round=0, phase="starting", index=-1, waited_ms=20.0)
    assert different([text, later]) == 1
    assert different([text, later, ended, nothing]) == 3
    assert text.words == "text, round 1, after index 7 (+1.0 ms)"
    assert nothing.words == "starting, round 0, before the first event (+20.0 ms)"
