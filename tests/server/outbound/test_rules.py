"""Rules of requests to addresses of clients."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.outbound.receivers import SECRET
from treadle.server.outbound.rules import LONGEST_WAIT_S, OutboundRules


@pytest.mark.parametrize(
    "wrong", [{"secret": b"short"}, {"networks": ("10.0.0.1/8",)}, {"attempts": 0}, {"timeout_s": 0}]
)
def test_rules_that_guard_nothing_are_refused(wrong: dict[str, Any]) -> None:
    """Ours: a value is legal if it exists."""
    with pytest.raises(ValueError, match=r"."):
        OutboundRules(**{"secret": SECRET, **wrong})


def test_a_secret_is_not_printed() -> None:
    """Ours: no secret stands in a log line."""
    assert "secret of" not in repr(OutboundRules(secret=SECRET))


def test_each_wait_is_longer_up_to_a_bound() -> None:
    """Ours: a receiver that is down is not hammered, and not waited for without end."""
    waits = [OutboundRules(secret=SECRET).wait_s(attempt) for attempt in range(1, 8)]
    assert waits[:4] == [2.0, 8.0, 32.0, 128.0]
    assert waits[-1] == LONGEST_WAIT_S
