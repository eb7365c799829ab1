"""Points that do nothing until they are armed."""

from __future__ import annotations

from treadle.runtime.failpoints import Failpoint, arm, reach


def test_a_point_is_told_while_it_is_armed_and_not_after() -> None:
    """Ours: production arms nothing."""
    met: list[Failpoint] = []
    reach(Failpoint.BEFORE_BEGIN)
    arm(met.append)
    try:
        reach(Failpoint.BEFORE_COMMIT)
    finally:
        arm(None)
    reach(Failpoint.AFTER_ACK)
    assert met == [Failpoint.BEFORE_COMMIT]
