"""How a run is told as a task, from what is stored of it."""

from __future__ import annotations

from dataclasses import replace

from tests.server.test_replaying import asking, run_of
from treadle.projections.a2a.pauses import no_token
from treadle.projections.a2a.wire import Shape
from treadle.server.wires.a2a.telling import Around, begun, folded, from_here, task_telling
from treadle.values.exposure import OPAQUE, UI
from treadle.values.runs import RunStatus

RUN = run_of(asking(), RunStatus.WAITING).state
TELLING = task_telling(RUN, Shape.V1_0, Around(before="<", behind=">"), token_of=no_token, details=True)


def test_a_task_is_in_the_thread_of_its_run_and_in_its_readers_envelope() -> None:
    """docs/protocols/a2a.md: a context is a thread."""
    assert (TELLING.context_id, TELLING.submitted_s, TELLING.before, TELLING.behind) == ("t1", 1.0, "<", ">")
    assert TELLING.details
    assert folded(TELLING, UI) != folded(TELLING, OPAQUE)


def test_whoever_begins_a_task_is_greeted_with_it() -> None:
    """docs/protocols/a2a.md: the submitted task is the first frame, before the run has said anything."""
    told = begun(RUN, TELLING, "1+2?")
    assert told.telling.greeted
    assert told.first is not None
    assert "1+2?" in told.first
    assert told.first.startswith("<")


def test_a_task_is_told_from_where_it_stands() -> None:
    """docs/protocols/a2a.md: one that waits is over with that, and one that was answered goes on."""
    waits = from_here(RUN, TELLING)
    assert (waits.first, waits.telling.after, waits.telling.rests) == (None, 4, True)
    ready = replace(RUN, status=RunStatus.READY)
    assert not from_here(ready, TELLING).telling.rests
    assert from_here(ready, TELLING, settled=frozenset({"r1.i1"})).telling.rests
    new = from_here(replace(ready, next_index=0), TELLING)
    assert new.telling.greeted
    assert new.first is not None
