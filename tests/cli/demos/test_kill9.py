"""The demonstration of a kill, and how it finds that its promise is broken."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.demos.showing import shown
from treadle.cli.demos import loom
from treadle.cli.demos.counting import Counts
from treadle.cli.demos.kill9 import Found, Kills, Round, kill9
from treadle.cli.demos.kill_points import Aim, KillPoint
from treadle.cli.demos.reader import Reader, asked

pytestmark = pytest.mark.requirement("DEMO-kill9")
LOOKS = 10_000
"""How often the end of a run is looked for, at most."""
NOTHING = {"missing_indexes": 0, "repeated_indexes": 0, "missing_characters": 0, "repeated_characters": 0}


@pytest.mark.slow
def test_a_reader_whose_server_is_killed_misses_and_repeats_nothing(tmp_path: Path) -> None:
    """docs/demos.md: two runs, two kills, two places, all four counts 0."""
    found = shown(kill9, tmp_path, rounds=2, seed=3)
    assert found.broken == []
    calm, *rounds, last = found.facts
    assert calm["characters"] == len(loom.TEXT)
    assert {name: last[name] for name in NOTHING} == NOTHING
    assert (last["runs"], last["kills"], last["kill_points"], last["seed"]) == (2, 2, 2, 3)
    assert len({one["run_id"] for one in rounds}) == 2
    # Each kill was in the middle of a run: the reader had something, and not all.
    assert all(0 <= kill["index"] < one["events"] - 1 for one in rounds for kill in one["kills"])


@pytest.mark.slow
def test_a_server_that_loses_and_repeats_events_is_found_out(tmp_path: Path) -> None:
    """docs/demos.md: what is broken is counted, over every connection of a reader."""
    found = shown(kill9, tmp_path, rounds=1, seed=3, served="loses_and_repeats")
    assert found.last["missing_indexes"] >= 1
    assert found.last["repeated_indexes"] >= 1
    assert found.broken == found.last["broken"] != []


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterTheEnd(Aim):
    """A kill that comes when the run has ended in the store, and its reader has nothing yet."""

    url: str

    def wait_s(self, phase: str) -> float:
        """Wait for the end of the newest run."""
        for _ in range(LOOKS):
            runs = asked(self.url, "/v1/runs")["runs"]
            if len(runs) == 2 and runs[0]["state"] == "done":
                return 0.0
        raise AssertionError(f"the run has no end, {phase}")


@pytest.mark.slow
def test_a_kill_after_the_end_of_a_run_is_no_kill_point(tmp_path: Path) -> None:
    """docs/demos.md: it is told as too late and does not count; its reader is given everything all the same."""
    with ExitStack() as processes:
        kills = Kills(folder=tmp_path, served="treadle.cli.demos.loom:server", processes=processes)
        server = kills.new_server()
        calm = kills.calm(server)
        aim = AfterTheEnd(units=-1, share=0, url=server.url)
        one, other = kills.round(server, "1", (aim,))
        assert (server.has_ended, other.has_ended) == (True, False)
    assert (one.late, one.points, one.broken, one.reader.is_over) == (1, [], [], True)
    found = Found(calm=calm, rounds=[one], seed=1, seconds=1)
    assert [said for said in found.broken if "0 different points" in said] == found.broken != []


def _round(run_id: str, index: int = 1, *, counts: Counts | None = None) -> Round:
    point = KillPoint(round=1, phase="text", index=index, waited_ms=0)
    return Round(reader=Reader(run_id=run_id), points=[point], counts=counts or Counts())


def test_a_run_that_is_used_twice_breaks_the_demo() -> None:
    """docs/demos.md: a round is a new run."""
    twice = Found(calm=_round("r_0"), rounds=[_round("r_1"), _round("r_1", 2)], seed=1, seconds=1)
    assert [said for said in twice.broken if "as many runs" in said] == twice.broken != []


def test_kills_that_hit_one_place_again_and_again_break_the_demo() -> None:
    """docs/demos.md: four fifths of the rounds must have hit a place of their own."""
    rounds = [_round(f"r_{at}", index=min(at, 6)) for at in range(1, 11)]
    few = Found(calm=_round("r_0"), rounds=rounds, seed=1, seconds=1)
    assert [said for said in few.broken if "6 different points" in said] == few.broken != []
    enough = Found(calm=_round("r_0"), rounds=[_round(f"r_{at}", at) for at in range(1, 11)], seed=1, seconds=1)
    assert enough.broken == []


def test_the_counts_of_all_runs_are_added() -> None:
    """docs/demos.md: the undisturbed run counts as the others do."""
    one = Counts(missing_indexes=1)
    assert Found(
        calm=_round("r_0", counts=one), rounds=[_round("r_1", counts=one)], seed=1, seconds=1
    ).counts == Counts(missing_indexes=2)
