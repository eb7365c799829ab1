"""The tools of the scripted agents."""

from __future__ import annotations

import pytest

from treadle.testing.faults.steps import LEAK_MARK
from treadle.testing.scenarios.tools import count, fail, publish, shout


async def test_they_do_what_they_say() -> None:
    """Ours: what a client shows of them can be told beforehand."""
    assert await count("日本") == 2
    assert await publish("it") == "published 'it'"
    assert [step async for step in shout("a b")] == [
        {"word": "A", "number": 1},
        {"word": "B", "number": 2},
        {"shouted": "A B"},
    ]
    assert [problem for one in (count, fail, publish, shout) for problem in one.problems] == []


async def test_the_failing_one_raises_what_must_not_leak() -> None:
    """Ours: one search of what a client was shown finds a tool's own error text in it."""
    with pytest.raises(RuntimeError, match=LEAK_MARK):
        await fail("it")
