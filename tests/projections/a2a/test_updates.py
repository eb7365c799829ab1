"""The table of updates: every class has its row, also speech that stands among other entries."""

from __future__ import annotations

import json

import pytest

from tests.projections.a2a.samples import Log
from tests.projections.a2a.task_folds import telling, told
from tests.values.event_samples import SAMPLES
from treadle.projections.a2a.details import DETAILS
from treadle.projections.a2a.updates import UPDATES, Updates
from treadle.projections.a2a.wire import EXTENSION
from treadle.values import events as ev
from treadle.values.exposure import UI
from treadle.values.ids import CallId, RunId


@pytest.mark.requirement("A03", "A05")
def test_the_tables_are_total() -> None:
    """Design §8: keyed by event class, with exactly the classes of the union."""
    assert set(UPDATES) == set(DETAILS) == set(ev.EVENT_TYPES)


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: event.kind)
def test_every_class_is_told_with_and_without_details(event: ev.KernelEvent) -> None:
    """Ours: no class of events breaks a stream."""
    for details in (False, True):
        updates = Updates(RunId("r1"), telling(details=details))
        for frame in updates.of(event, 1.0):
            json.dumps(frame)


def test_speech_among_entries_is_told_as_speech_is() -> None:
    """Ours: a store may give a piece of speech as an event among others."""
    spoken = Log().start().say("a", "b").think("hm").spell('{"a"')
    entries = Log().start()
    entries.add(ev.TextDelta, passage=1, text="a").add(ev.TextDelta, passage=1, text="b")
    entries.add(ev.Thinking, passage=1, text="hm").add(ev.ToolArguments, call_id=CallId("r1.c1"), text='{"a"')
    for details in (False, True):
        how = telling(details=details)
        said, run = told(spoken.stretches, how, UI)
        again, other = told(entries.stretches, how, UI)
        assert [json.loads(frame) for frame in said] == [json.loads(frame) for frame in again]
        assert run.task() == other.task()


def test_a_round_that_nobody_saw_begin_takes_nothing_back() -> None:
    """Ours: what is void begins where its round began, and nowhere if that is not known."""
    log = Log().start().say("a").add(ev.Retracted, round=9, attempt=1, reason="r")
    assert len(told(log.stretches, telling())[0]) == 3


def test_an_opaque_announcement_names_nothing() -> None:
    """Ours: that something will be called is told when it is."""
    log = Log().start().add(ev.ToolAnnounced, call_id=CallId("r1.c1"), name="add")
    said, _ = told(log.stretches, telling(details=True))
    assert EXTENSION not in "".join(said)
