"""What holds of every legal log: however it is cut, in every dialect, from wherever a reader attaches."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.a2a.task_folds import (
    CLOSED,
    folded,
    joined,
    read,
    segments,
    task_of_10,
    telling,
    token_of,
    told,
)
from tests.projections.legal_logs import LegalRun, legal_runs
from tests.projections.log_cuts import recut, singles
from treadle.projections.a2a.project import NOWHERE
from treadle.projections.a2a.wire import Shape
from treadle.values.exposure import OPAQUE, TEXT_ONLY, UI
from treadle.values.stretches import Stretch

pytestmark = pytest.mark.slow

SHAPES = st.sampled_from(list(Shape))
EXPOSURES = st.sampled_from([OPAQUE, UI, TEXT_ONLY])
SEEDS = st.integers(0, 2**32)


def at_one_time(run: LegalRun) -> list[Stretch]:
    """Its log as if all had been written at once: stretches that are joined lose the time of the later one."""
    return [replace(stretch, at_s=1.5) for stretch in run.stretches]


@pytest.mark.requirement("A2A-cuts")
@given(legal_runs, SEEDS, SHAPES, EXPOSURES, st.booleans(), st.integers(-1, 30))
def test_where_the_log_is_cut_does_not_change_what_is_said(
    run: LegalRun,
    seed: int,
    shape: Shape,
    exposure: object,
    details: bool,  # noqa: FBT001 (drawn by the property)
    after: int,
) -> None:
    """Design law 6: the same log gives the same bytes, also for a reader who attaches in the middle."""
    how = telling(shape, details=details, after=after, token_of=token_of)
    whole, cut = at_one_time(run), recut(at_one_time(run), seed)
    assert told(cut, how, exposure)[0] == told(whole, how, exposure)[0]
    assert told(singles(run.stretches), how, exposure)[0] == told(run.stretches, how, exposure)[0]


@pytest.mark.requirement("A2A-fold", "BR-147", "BR-150", "A01")
@given(legal_runs, SHAPES, EXPOSURES, st.booleans())
def test_what_a_client_folds_is_the_task_that_is_stored(
    run: LegalRun,
    shape: Shape,
    exposure: object,
    details: bool,  # noqa: FBT001 (drawn by the property)
) -> None:
    """Promise 1, shown = stored: the SDK's own fold over our frames comes to the task that GetTask gives."""
    for after in segments(run.events):
        frames, task = told(run.stretches, telling(shape, details=details, after=after, token_of=token_of), exposure)
        assert folded(read(frames, shape)) == joined(task_of_10(json.loads(task.task())))


@pytest.mark.requirement("A2A-versions")
@given(legal_runs, EXPOSURES, st.booleans())
def test_each_version_says_the_same_of_one_log(run: LegalRun, exposure: object, details: bool) -> None:  # noqa: FBT001 (drawn by the property)
    """Ours: 0.3 over both of its bindings and 1.0 are one fold in other words."""
    for after in segments(run.events):
        said = [
            read(told(run.stretches, telling(shape, details=details, after=after), exposure)[0], shape)
            for shape in Shape
        ]
        assert said[0] == said[1] == said[2]


@pytest.mark.requirement("A2A-order", "A09", "A17", "A21", "A23", "D26", "D32", "BR-144")
@given(legal_runs, EXPOSURES)
def test_a_stream_is_a_task_and_its_updates_up_to_one_end(run: LegalRun, exposure: object) -> None:
    """A2A 1.0, streaming: the task first, ids on everything, one closing state, last; every message has its own id."""
    for after in segments(run.events):
        frames = read(told(run.stretches, telling(after=after), exposure)[0], Shape.V1_0)
        assert "task" in frames[0]
        assert all("task" not in frame for frame in frames[1:])
        states = [frame["statusUpdate"]["status"] for frame in frames if "statusUpdate" in frame]
        assert [one["state"] in CLOSED for one in states] == [False] * (len(states) - 1) + [True]
        assert "statusUpdate" in frames[-1]
        ids = [one["message"]["messageId"] for one in states if "message" in one]
        ids += [one["messageId"] for one in frames[0]["task"].get("history", [])]
        assert all(ids)
        assert len(set(ids)) == len(ids)


@pytest.mark.requirement("A2A-final")
@given(legal_runs, EXPOSURES)
def test_final_stands_on_the_last_update_and_no_other(run: LegalRun, exposure: object) -> None:
    """A2A 0.3: `final` is required, and a client stops at it."""
    for shape, name in ((Shape.V0_3, None), (Shape.V0_3_REST, "statusUpdate")):
        for after in segments(run.events):
            frames = [json.loads(frame) for frame in told(run.stretches, telling(shape, after=after), exposure)[0]]
            updates = [frame if name is None else frame.get(name, {}) for frame in frames]
            finals = [update.get("final") for update in updates if "final" in update]
            assert finals[-1:] == [True]
            assert not any(finals[:-1])
            assert updates[-1].get("final") is True


@pytest.mark.requirement("BR-020", "BR-141")
@given(legal_runs, st.data(), SHAPES)
def test_a_reader_who_attaches_anywhere_has_all_of_it_in_the_end(
    run: LegalRun, data: st.DataObject, shape: Shape
) -> None:
    """Ours: first the task as it stands there, then what comes: nothing twice, nothing missing."""
    starts = segments(run.events)
    segment = data.draw(st.integers(0, len(starts) - 1))
    last = starts[segment + 1] - 1 if segment + 1 < len(starts) else run.end.index
    after = data.draw(st.integers(max(0, starts[segment]), last))
    frames, task = told(run.stretches, telling(shape, after=after))
    early = [stretch for stretch in singles(run.stretches) if stretch.index + stretch.events - 1 <= after]
    _, before = told(early, telling(shape, after=NOWHERE))
    assert joined(read(frames[:1], shape)[0]["task"]) == joined(task_of_10(json.loads(before.task())))
    assert folded(read(frames, shape)) == joined(task_of_10(json.loads(task.task())))


@pytest.mark.requirement("A13", "D40")
@given(legal_runs, SHAPES, st.booleans())
def test_what_is_opaque_is_said_nowhere(run: LegalRun, shape: Shape, details: bool) -> None:  # noqa: FBT001 (drawn by the property)
    """Ours, promise 11: neither names, arguments nor ids of calls, nor the words of a failure."""
    said = "".join(
        frame
        for after in segments(run.events)
        for frame in told(run.stretches, telling(shape, after=after, details=details), OPAQUE)[0]
    )
    for secret in ("transfer", "pick_file", "ping", "r1.c", "dsn=postgres", "KeyError", "arguments"):
        assert secret not in said


@pytest.mark.requirement("D45", "BR-186")
@given(legal_runs, SHAPES)
def test_texts_are_ascii_on_the_wire_and_every_frame_is_one_line(run: LegalRun, shape: Shape) -> None:
    """Ours: half a surrogate pair is a valid escape, and no reader can take a separator for a line end."""
    frames, _ = told(run.stretches, telling(shape))
    for frame in frames:
        assert len(frame.splitlines()) == 1
        json.loads(frame, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.requirement("A2A-whole")
@given(legal_runs, SHAPES)
def test_whoever_waits_is_given_the_task_that_a_stream_comes_to(run: LegalRun, shape: Shape) -> None:
    """Ours: one body and a stream of the same segment cannot disagree."""
    for after in segments(run.events):
        frames, task = told(run.stretches, telling(shape, after=after, token_of=token_of))
        (whole,), _ = told(run.stretches, telling(shape, after=after, token_of=token_of, only_whole=True))
        assert joined(read([whole], shape)[0]["task"]) == folded(read(frames, shape))
        assert json.loads(whole) == json.loads(task.frame())


@given(legal_runs)
def test_details_are_told_to_nobody_who_did_not_ask(run: LegalRun) -> None:
    """A2A 1.0, extensions: what belongs to an extension is sent where it was activated, and nowhere else."""
    plain = [json.loads(frame) for frame in told(run.stretches, telling(), UI)[0]]
    updates = [frame["statusUpdate"] for frame in plain if "statusUpdate" in frame]
    assert all(set(update.get("metadata", {})) <= {"code", "reference"} for update in updates)
