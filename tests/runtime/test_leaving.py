"""What leaving does."""

from __future__ import annotations

import pytest

from tests.runtime.stores import pass_time, virtually
from treadle.runtime.leaving import GOES_ON, OnDisconnect, Readership, on_disconnect_of
from treadle.values.ids import RunId

SCOPE, RUN, OTHER = "s", RunId("r1"), RunId("r2")
TEN = OnDisconnect(cancel_after_s=10.0)


@pytest.mark.parametrize(
    ("text", "after_s"),
    [("continue", None), ("cancel", 0.0), ("continue 10 s", 10.0), ("continue 2.5s", 2.5), ("continue 0 s", 0.0)],
)
def test_a_rule_is_said_in_words(text: str, after_s: float | None) -> None:
    """Design §8: `continue | cancel | continue N s`."""
    assert on_disconnect_of(text) == OnDisconnect(cancel_after_s=after_s)


@pytest.mark.parametrize("text", ["", "stop", "continue s", "continue -1 s", "continue 1 m", "Cancel", "continue ٣ s"])
def test_anything_else_is_no_rule(text: str) -> None:
    """Ours: it is refused with what was expected and what came."""
    with pytest.raises(ValueError, match="'continue', 'cancel' or 'continue N s', not"):
        on_disconnect_of(text)


@virtually
async def test_only_the_last_reader_counts_and_the_time_begins_anew_with_each_leaving() -> None:
    """Ours: whoever reads keeps the run alive."""
    over: list[tuple[str, RunId]] = []
    readers = Readership(lambda *run: over.append(run))
    readers.enter(RUN)
    readers.enter(RUN)
    readers.leave(SCOPE, RUN, TEN, at_end=False)
    await pass_time(20)
    assert readers.is_read(RUN)
    readers.leave(SCOPE, RUN, TEN, at_end=False)
    await pass_time(9)
    readers.enter(RUN)
    await pass_time(20)
    readers.leave(SCOPE, RUN, TEN, at_end=False)
    await pass_time(9)
    assert over == []
    await pass_time(2)
    assert over == [(SCOPE, RUN)]
    assert not readers.is_read(RUN)


@virtually
async def test_an_end_a_rule_that_goes_on_and_a_closed_readership_cancel_nothing() -> None:
    """Ours: a stream that ended by itself was not left; nothing is cancelled for a runner that is gone."""
    over: list[tuple[str, RunId]] = []
    readers = Readership(lambda *run: over.append(run))
    for run_id, rule, at_end in ((RUN, TEN, True), (OTHER, GOES_ON, False)):
        readers.enter(run_id)
        readers.leave(SCOPE, run_id, rule, at_end=at_end)
    readers.enter(RUN)
    readers.leave(SCOPE, RUN, TEN, at_end=False)
    readers.close()
    await pass_time(20)
    assert over == []
