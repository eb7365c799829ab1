"""Failpoints for tests: a list, and a child that ends itself at one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from treadle.testing import failpoints
from treadle.testing.failpoints import ENVIRONMENT, POINTS, Failpoint, arm_from, armed, reach

_CHILD = """
import os
from treadle.testing.failpoints import Failpoint, arm_from, reach
arm_from(os.environ)
for _ in range(3):
    reach(Failpoint.BEFORE_BEGIN)
    reach(Failpoint.AFTER_ACK)
    print("past", flush=True)
"""


def test_every_point_is_listed() -> None:
    """Ours: a test over the list is a test over all of them."""
    assert set(POINTS) == set(Failpoint)
    assert set(failpoints.__all__) >= {"POINTS", "armed", "kill_at"}


@pytest.mark.parametrize(("said", "past"), [("after_ack", 0), ("after_ack:3", 2), ("delete_mid", 3), ("", 3)])
def test_a_child_ends_itself_at_the_point(said: str, past: int) -> None:
    """Ours: by SIGKILL, the time that was asked for, and not at all where the point is not reached."""
    child = subprocess.run(
        [sys.executable, "-c", _CHILD],
        env={**os.environ, ENVIRONMENT: said},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert child.returncode == (-signal.SIGKILL if past < 3 else 0), child.stderr
    assert child.stdout == "past\n" * past


def test_what_names_no_point_is_refused() -> None:
    """Ours: a mistyped point is not one that is never reached."""
    for said in ("nowhere", "after_ack:often"):
        with pytest.raises(ValueError, match=r"nowhere|often"):
            arm_from({ENVIRONMENT: said})


def test_points_are_armed_within_a_block() -> None:
    """Ours: also where the block fails."""
    met: list[Failpoint] = []
    with pytest.raises(ZeroDivisionError), armed(met.append):
        _fail()
    reach(Failpoint.DELETE_MID)
    assert met == [Failpoint.DELETE_MID]


def _fail() -> None:
    reach(Failpoint.DELETE_MID)
    raise ZeroDivisionError
