"""A plan, a model and a request, joined to one run."""

from __future__ import annotations

import pytest

from tests.runtime.agents import scripted
from treadle.adapters.system import SystemClock
from treadle.runtime.attach import attach, made_filters
from treadle.runtime.output_bound import CHECKPOINT
from treadle.runtime.reader import BOUND
from treadle.text.filters.think import ThinkTagFilter
from treadle.values.ids import RunId
from treadle.values.requests import TurnRequest

RUN = RunId("r1")


def attached(*, read: bool, filters=()):
    """The parts of a run."""
    return attach(
        request=TurnRequest(prompt="hi", run_id=RUN, root_run_id=RUN),
        served=scripted("text: a|b", text_filters=filters).served(),
        clock=SystemClock(),
        read=read,
    )


@pytest.mark.parametrize(("read", "limit"), [(True, BOUND), (False, CHECKPOINT)])
def test_a_run_is_bounded_by_its_reader_or_looks_at_its_size(read, limit):
    """Law 10: a run that is read is never further ahead of its reader than the bound."""
    parts = attached(read=read)
    assert (parts.runs.bounded, parts.runs.limit) == (read, limit)


async def test_the_parts_run_to_a_closing_event():
    """Ours: what is joined here is all that a run needs."""
    parts = attached(read=False, filters=("think",))
    assert parts.closing is None
    await parts.loop.drive(parts.request)
    assert parts.closing is not None
    assert parts.result().text == "ab"


def test_filters_are_made_by_name_or_by_their_maker():
    """Design: a plan names filters; the runtime builds them, anew for each run."""

    class Own:
        def feed(self, text: str) -> str:
            return text

        def flush(self) -> str:
            return ""

    named, own = made_filters(["think", Own])
    assert isinstance(named, ThinkTagFilter)
    assert isinstance(own, Own)
