"""How the command ends."""

from __future__ import annotations

from typing import get_args

from treadle.cli.exits import EXIT_OF_OUTCOME, ExitCode
from treadle.projections.typed.events import Ending


def test_every_outcome_of_a_run_has_its_exit_code() -> None:
    """docs/cli.md: exit 0 done, 1 error, 2 misuse, 3 paused, 130 cancelled."""
    assert set(EXIT_OF_OUTCOME) == set(get_args(Ending))
    assert {name: int(code) for name, code in ExitCode.__members__.items()} == {
        "DONE": 0, "ERROR": 1, "MISUSE": 2, "PAUSED": 3, "CANCELLED": 130,
    }  # fmt: skip
