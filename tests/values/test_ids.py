"""Names of things."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treadle.values.ids import NO_CALL, NO_RUN, NO_THREAD, RunId, call_id, interrupt_id


def test_a_calls_id_is_its_runs_id_and_a_count() -> None:
    """Ours: ids are counted under the run's id, so a rebuilt run gives the same ones."""
    assert call_id(RunId("r1"), 3) == "r1.c3"
    assert interrupt_id(RunId("r1"), 3) == "r1.i3"


@given(st.lists(st.integers(1, 10**6), unique=True, max_size=20))
def test_no_two_calls_or_pauses_of_a_run_share_an_id(numbers: list[int]) -> None:
    """Ours: an id is never used twice, not by another kind of thing either."""
    made = [maker(RunId("r1"), number) for maker in (call_id, interrupt_id) for number in numbers]
    assert len(set(made)) == len(made)


def test_a_name_that_is_not_given_is_empty() -> None:
    """Ours: an id not yet given is false where it is asked for."""
    assert (NO_RUN, NO_THREAD, NO_CALL) == ("", "", "")
