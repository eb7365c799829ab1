"""What a runner holds while it is open."""

from __future__ import annotations

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from treadle.app.runner import Runner
from treadle.runtime.runner_parts import RunnerParts


@virtually
async def test_what_is_still_held_of_a_closed_runner_says_so() -> None:
    """Ours: a reader that outlives its runner keeps no rule any more."""
    runner = Runner([scripted("text: ok")])
    async with runner:
        parts: RunnerParts = runner._opened()  # noqa: SLF001 (tests look where users do not)
        assert not parts.is_closed
        assert list(parts.served) == ["a"]
    assert parts.is_closed
