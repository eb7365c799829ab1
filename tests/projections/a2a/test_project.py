"""Stretches of a log to the frames of a task: rows of what is said, and where a reader attaches."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.projections.a2a.samples import AT, AT_S, LEAVE, QUESTION, Log
from tests.projections.a2a.task_folds import read, telling, token_of, told
from treadle.projections.a2a.project import NOWHERE, TaskRun, submitted
from treadle.projections.a2a.wire import EXTENSION, Shape
from treadle.values import events as ev
from treadle.values.exposure import OPAQUE, UI, Exposure, ToolExposure
from treadle.values.ids import InterruptId, RunId
from treadle.values.pauses import Resolution, Settlement
from treadle.values.stretches import EntryStretch

IDS = {"taskId": "r1", "contextId": "t1"}


def frames(log: Log, exposure: Exposure = OPAQUE, shape: Shape = Shape.V1_0, **how: Any) -> list[dict[str, Any]]:  # noqa: ANN401 (fields of a telling)
    """The frames of a log, read."""
    said, _ = told(log.stretches, telling(shape, **how), exposure)
    return [json.loads(frame) for frame in said]


def status(state: str, message: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (members of an update)
    """A status update of 1.0."""
    where = {"state": f"TASK_STATE_{state}", **({} if message is None else {"message": message}), "timestamp": AT}
    return {"statusUpdate": {**IDS, "status": where, **more}}


def said_by_agent(index: int, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 (members of a message)
    """A message of the agent."""
    return {"messageId": f"r1.{index}", "role": "ROLE_AGENT", **IDS, "parts": list(parts), **more}


def chunk(text: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (members of an update)
    """An update of the response."""
    return {"artifactUpdate": {**IDS, "artifact": {"artifactId": "response", "parts": [{"text": text}]}, **more}}


WORKING = status("WORKING")
COMPLETED = status("COMPLETED")


@pytest.mark.requirement("A2A-begin")
def test_a_run_begins_as_a_submitted_task_with_its_message_and_is_at_work() -> None:
    """A2A 1.0, streaming: the first frame is the task."""
    message = {"messageId": "r1.0", "role": "ROLE_USER", **IDS, "parts": [{"text": "1+2?"}]}
    where = {"state": "TASK_STATE_SUBMITTED", "timestamp": AT}
    task = {"id": "r1", "contextId": "t1", "status": where, "history": [message]}
    assert frames(Log().start()) == [{"task": task}, WORKING]
    assert frames(Log().start(), greeted=True) == [WORKING]


@pytest.mark.requirement("A10", "A22", "D31", "BR-147")
def test_the_first_piece_makes_the_response_and_the_end_of_the_run_closes_it() -> None:
    """a2a-sdk: `append` to an artifact that was never sent is refused; no piece has to wait to be the last."""
    log = Log().start().round().say("Hello ", "big ").say("world").end(text="Hello big world")
    assert frames(log)[2:] == [
        chunk("Hello "),
        chunk("big ", append=True),
        chunk("world", append=True),
        chunk("", append=True, lastChunk=True),
        COMPLETED,
    ]


@pytest.mark.requirement("A11", "A12", "A14", "D47")
def test_a_call_is_a_step_of_so_many_and_past_the_limit_a_step() -> None:
    """Ours: the ordinal counts calls, and never says more than the limit."""
    log = Log().start(limit=2).call(1).call(2).call(3)
    steps = [frame["statusUpdate"]["status"]["message"] for frame in frames(log)[2:]]
    assert steps == [
        said_by_agent(1, {"text": "step 1/2"}),
        said_by_agent(2, {"text": "step 2/2"}),
        said_by_agent(3, {"text": "step 3"}),
    ]


@pytest.mark.requirement("A15")
def test_a_call_that_failed_looks_as_one_that_did_not() -> None:
    """Ours: one status, without message, summary or id."""
    well, ill = Log().start().call().back(content="3"), Log().start().call().fail()
    assert frames(well)[-1] == frames(ill)[-1] == WORKING
    assert frames(well, details=True)[-1] == frames(ill, details=True)[-1] == WORKING


@pytest.mark.requirement("A16", "D32")
def test_structured_output_is_an_artifact_and_always_an_object() -> None:
    """A2A 0.3: data is an object; a text that stands alone is put into one."""
    made = [
        next(frame["artifactUpdate"] for frame in frames(Log().start().end(output=output)) if "artifactUpdate" in frame)
        for output in ({"sum": 3}, "three", 2**60)
    ]
    assert [one["artifact"]["parts"][0]["data"] for one in made] == [
        {"sum": 3},
        {"value": "three"},
        {"value": str(2**60)},
    ]
    assert {one["artifact"]["artifactId"] for one in made} == {"output"}
    assert all(one["lastChunk"] and "append" not in one for one in made)
    assert frames(Log().start().end(output={"sum": 3}))[-1] == COMPLETED


@pytest.mark.requirement("A18")
def test_usage_is_told_to_whoever_asks_for_details_alone() -> None:
    """Ours: counts are no part of a task."""
    assert "usage" not in json.dumps(frames(Log().start().end(), UI))


@pytest.mark.requirement("A19", "D38")
def test_a_failure_is_its_code_and_a_sentence_that_is_always_the_same() -> None:
    """Ours: what a provider said stays in the operator's log."""
    log = Log().start().end(ev.Error, code="upstream_error", reference="r1.e1", detail="dsn=postgres://u:p@h")
    sentence = {"text": "The task failed. What was said until then is kept."}
    assert frames(log)[-1] == status(
        "FAILED", said_by_agent(1, sentence), metadata={"code": "upstream_error", "reference": "r1.e1"}
    )
    shown = frames(log, Exposure(errors="text"))[-1]["statusUpdate"]["status"]["message"]["parts"]
    assert shown == [sentence, {"text": "dsn=postgres://u:p@h"}]


@pytest.mark.requirement("A20", "A10", "A11")
def test_version_03_says_kinds_lower_case_states_and_final() -> None:
    """A2A 0.3: the discriminators and the two flags of updates are required."""
    log = Log().start().say("a").call().end(ev.Cancelled)
    said = frames(log, shape=Shape.V0_3)
    assert [frame["kind"] for frame in said] == [
        "task",
        "status-update",
        "artifact-update",
        "status-update",
        "artifact-update",
        "status-update",
    ]
    assert said[2] == {
        "kind": "artifact-update",
        **IDS,
        "artifact": {"artifactId": "response", "parts": [{"kind": "text", "text": "a"}]},
        "append": False,
        "lastChunk": False,
    }
    step = {"kind": "message", "messageId": "r1.2", "role": "agent", **IDS}
    assert said[3] == {
        "kind": "status-update",
        **IDS,
        "status": {
            "state": "working",
            "message": {**step, "parts": [{"kind": "text", "text": "step 1/2"}]},
            "timestamp": AT,
        },
        "final": False,
    }
    assert (said[-1]["status"]["state"], said[-1]["final"]) == ("canceled", True)


@pytest.mark.requirement("A2A-retraction")
def test_what_was_taken_back_is_healed_by_the_whole_response() -> None:
    """Design §8: the artifact is sent whole; where nothing of the round was shown, nothing is said."""
    log = Log().start().round(1).say("kept ").round(2).say("void").add(ev.Retracted, round=2, attempt=1, reason="r")
    assert frames(log)[-1] == chunk("kept ")
    assert frames(log.round(2, 2).say("new"))[-1] == chunk("new", append=True)
    silent = Log().start().round(1).add(ev.Retracted, round=1, attempt=1, reason="r")
    assert frames(silent) == frames(Log().start())
    first = Log().start().round(1).say("void").add(ev.Retracted, round=1, attempt=1, reason="r")
    assert frames(first)[-1] == chunk("")


@pytest.mark.requirement("A2A-dropped")
def test_a_loss_is_healed_by_the_whole_response() -> None:
    """Ours: a client that was told of a loss has all that there is, whatever it had before."""
    lost = {"dropped_kind": "tool_progress", "count": 3, "first": 4, "last": 6}
    assert frames(Log().start().say("a", "b").add(ev.Dropped, **lost))[-1] == chunk("ab")
    assert frames(Log().start().add(ev.Dropped, **lost)) == frames(Log().start())
    detail = frames(Log().start().add(ev.Dropped, **lost), details=True)[-1]["statusUpdate"]["metadata"][EXTENSION]
    assert detail == {"type": "dropped", "kind": "tool_progress", "count": 3, "first": 4, "last": 6}


@pytest.mark.requirement("A2A-pause", "BR-159")
def test_a_pause_asks_in_words_and_data_and_gives_its_token_to_whoever_may_answer() -> None:
    """Ours: what is asked stands in the message; what was said before stays in the artifact."""
    log = Log().start().say("ok").end(ev.AskUser, pending=(QUESTION,))
    last = frames(log, token_of=token_of)[-1]["statusUpdate"]["status"]
    words, data = last["message"]["parts"]
    assert last["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert words == {"text": "Which colour?\n- Red\n- Blue"}
    (asked,) = data["data"]["pauses"]
    assert (asked["interrupt_id"], asked["kind"], asked["expires_at"]) == (
        "r1.i1",
        "ask_user",
        "2023-11-14T22:14:20.250Z",
    )
    assert last["message"]["metadata"] == {EXTENSION: {"tokens": {"r1.i1": "token-of-r1.i1"}}}
    assert last["message"]["extensions"] == [EXTENSION]
    assert "metadata" not in frames(log)[-1]["statusUpdate"]["status"]["message"]


@pytest.mark.requirement("A2A-hidden")
def test_an_approval_that_may_not_be_shown_is_due_elsewhere() -> None:
    """Design §8: a hidden approval is `auth-required`, without a token; beside a question it is not spoken of."""
    log = Log().start().end(ev.Interrupt, pending=(LEAVE,))
    last = frames(log, token_of=token_of)[-1]["statusUpdate"]["status"]
    assert last["state"] == "TASK_STATE_AUTH_REQUIRED"
    assert len(last["message"]["parts"]) == 1
    assert "metadata" not in last["message"]
    both = Log().start().end(ev.Interrupt, pending=(QUESTION, LEAVE))
    last = frames(both, token_of=token_of)[-1]["statusUpdate"]["status"]
    assert last["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert "transfer" not in json.dumps(last)
    assert list(last["message"]["metadata"][EXTENSION]["tokens"]) == ["r1.i1"]
    shown = frames(log, UI, token_of=token_of)[-1]["statusUpdate"]["status"]
    assert shown["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert "transfer" in shown["message"]["parts"][0]["text"]


def answered() -> Log:
    """A run that was asked, answered, and is over."""
    log = Log().start().say("a").end(ev.AskUser, pending=(QUESTION,))
    settled = Resolution(interrupt_id=InterruptId("r1.i1"), settlement=Settlement.ANSWERED, value={"q1": "Red"})
    return log.add(ev.Resumed, resolutions=(settled,)).say("b").end(text="ab")


@pytest.mark.requirement("A2A-reply")
def test_a_reader_of_the_next_segment_begins_with_the_task_at_work() -> None:
    """A2A 1.0: after a reply the first frame is the task; question and answer are its history."""
    log = answered()
    for how in ({"after": 3}, {"after": 2, "rests": False}):
        first, *rest = frames(log, UI, **how)
        task = first["task"]
        assert task["status"]["state"] == "TASK_STATE_WORKING"
        assert [message["role"] for message in task["history"]] == ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]
        assert task["history"][-1]["parts"][0]["data"]["resolutions"][0]["value"] == {"q1": "Red"}
        assert rest == [chunk("b", append=True), chunk("", append=True, lastChunk=True), COMPLETED]
    assert "Red" not in json.dumps(frames(log, OPAQUE, after=3)[0]["task"]["history"][-1])


@pytest.mark.requirement("A2A-subscribe")
def test_a_reader_of_a_run_that_rests_has_the_task_and_its_end() -> None:
    """Ours: nothing comes that could be waited for."""
    paused = Log().start().say("a").end(ev.AskUser, pending=(QUESTION,))
    (only,) = frames(paused, after=2)
    assert only["task"]["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    (over,) = frames(answered(), after=5)
    assert over["task"]["status"]["state"] == "TASK_STATE_COMPLETED"


def test_what_a_task_waits_for_is_known_until_it_goes_on() -> None:
    """Ours: a reply is held against what its sender was shown."""
    log = answered()
    assert told(log.stretches[:3], telling(after=NOWHERE))[1].pending == (QUESTION,)
    assert told(log.stretches, telling(after=NOWHERE))[1].pending == ()


def test_a_pause_of_which_a_part_was_answered_asks_for_the_rest() -> None:
    """Ours: an answer that lies in the inbox has settled its pause, though the log does not say so yet."""
    log = Log().start().end(ev.Interrupt, pending=(QUESTION, LEAVE))
    (only,) = frames(log, UI, after=1, settled=frozenset({"r1.i1"}), token_of=token_of)
    message = only["task"]["status"]["message"]
    assert list(message["metadata"][EXTENSION]["tokens"]) == ["r1.i2"]
    (all_of_it,) = frames(log, UI, after=1, settled=frozenset({"r1.i1", "r1.i2"}))
    assert len(all_of_it["task"]["status"]["message"]["parts"][1]["data"]["pauses"]) == 2


def test_a_reader_behind_hidden_events_is_told_the_task_when_they_are_passed() -> None:
    """Ours: a mount that hides the last events passes them all the same."""
    log = Log().start().think("hm", "well").say("a")
    first, *rest = frames(log, after=2)
    assert first["task"]["status"]["state"] == "TASK_STATE_WORKING"
    assert rest == [chunk("a")]
    run = TaskRun(RunId("r1"), telling(after=2))
    before = run.payloads(log.stretches[0])
    passed = run.payloads(EntryStretch(seq=3, index=3, entries=(), at_s=1.0))
    assert (before, len(passed)) == ([], 1)
    assert run.payloads(EntryStretch(seq=3, index=3, entries=(), at_s=1.0)) == []


def test_an_event_behind_the_place_opens_before_it_is_told() -> None:
    """Ours: where the event itself is hidden, the next one that is not opens."""
    log = Log().start().round().call()
    run = TaskRun(RunId("r1"), telling(after=1))
    run.payloads(log.stretches[0])
    opened, step = run.payloads(log.stretches[2])
    assert "task" in json.loads(opened)
    assert "step 1/2" in step
    late = TaskRun(RunId("r1"), telling(after=0))
    late.payloads(EntryStretch(seq=0, index=0, entries=(), at_s=1.0))
    speech = Log().start().say("a", "b").stretches[1]
    assert [*map(json.loads, late.payloads(speech))][1:] == [chunk("a"), chunk("b", append=True)]


def test_nothing_is_told_behind_the_end() -> None:
    """Ours: whatever comes later is another reader's."""
    run = TaskRun(RunId("r1"), telling())
    for stretch in Log().start().end().stretches:
        run.payloads(stretch)
    assert run.is_over
    assert run.payloads(Log().start().stretches[0]) == []


def test_the_envelope_stands_around_every_frame() -> None:
    """Ours: a request's id is its reader's own, also on the short road."""
    how = telling(before='{"id":7,"result":', behind="}")
    said, run = told(Log().start().say("a", "b").end(text="ab").stretches, how)
    assert all(json.loads(frame)["id"] == 7 for frame in said)
    assert [json.loads(frame)["result"] for frame in said] == read(
        told(Log().start().say("a", "b").end(text="ab").stretches, telling())[0], Shape.V1_0
    )
    assert json.loads(run.task())["id"] == "r1"


@pytest.mark.requirement("A2A-history")
@pytest.mark.parametrize(("length", "kept"), [(None, 3), (2, 2), (0, 0)])
def test_no_more_messages_are_told_than_were_asked_for(length: int | None, kept: int) -> None:
    """A2A 1.0, history length: unset is all, 0 none, n the newest n."""
    _, run = told(answered().stretches, telling(after=NOWHERE, history_length=length), UI)
    task = json.loads(run.task())
    assert len(task.get("history", [])) == kept
    assert not kept or task["history"][-1]["messageId"] == "r1.3"


def test_a_task_can_be_told_without_what_it_made() -> None:
    """A2A 1.0, list: artifacts are left out unless they are asked for."""
    _, run = told(answered().stretches, telling(after=NOWHERE))
    assert "artifacts" not in json.loads(run.task(with_artifacts=False))
    assert json.loads(run.task())["artifacts"][0]["parts"] == [{"text": "ab"}]


def test_a_run_that_has_not_begun_is_submitted_with_what_was_said() -> None:
    """Ours: whoever asks gets their task at once, not with the first word of the model."""
    task = json.loads(submitted(RunId("r1"), telling(), "1+2?").task())
    assert task["status"]["state"] == "TASK_STATE_SUBMITTED"
    assert task["history"] == frames(Log().start())[0]["task"]["history"]


@pytest.mark.requirement("A2A-details")
def test_details_are_metadata_of_the_extension() -> None:
    """A2A 1.0, extensions: what the states cannot say, for a client that asked, as far as the mount may tell it."""
    log = Log().start().think("hm").add(ev.ToolAnnounced, call_id="r1.c1", name="add").spell('{"a":', "1}")
    log.call(1, a=1).add(ev.ToolProgress, call_id="r1.c1", sequence=0, payload={"done": 2**60}).back(content="2")
    said = [
        frame["statusUpdate"]["metadata"][EXTENSION]
        for frame in frames(log, UI, details=True)
        if "metadata" in frame.get("statusUpdate", {})
    ]
    assert [(one["type"], one.get("phase")) for one in said] == [
        ("thinking", None),
        ("tool_call", "started"),
        ("tool_call", "args"),
        ("tool_call", "args"),
        ("tool_call", "executing"),
        ("tool_progress", None),
        ("tool_result", None),
    ]
    assert said[4] == {"type": "tool_call", "phase": "executing", "id": "r1.c1", "name": "add", "args": {"a": 1}}
    assert said[5]["payload"] == {"done": str(2**60)}
    names = frames(log, Exposure(tools=ToolExposure.NAMES), details=True)
    assert "args" not in json.dumps([frame for frame in names if "step" in json.dumps(frame)])


@pytest.mark.requirement("A04", "A05")
def test_a_class_of_no_table_is_refused() -> None:
    """Design §8: a `KeyError`, never a silent pass; a subclass is another class."""

    class Later(ev.Stage):
        pass

    log = Log().start()
    log.add(Later, stage_id="s", phase="p")
    with pytest.raises(KeyError):
        TaskRun(RunId("r1"), telling()).payloads(log.stretches[-1])


@pytest.mark.requirement("A06", "A07", "A08")
def test_a_fold_is_one_runs_and_holds_nothing_else() -> None:
    """Ours: two folds share nothing, fields are named, and nobody can hang more on one."""
    one, other = TaskRun(RunId("r1"), telling()), TaskRun(RunId("r1"), telling())
    one.payloads(Log().start().stretches[0])
    assert other.whole.status.state.value == "submitted"
    with pytest.raises(AttributeError):
        one.more = 1  # type: ignore[attr-defined]  # the fault under test


def test_pieces_that_were_joined_say_what_they_said_apart() -> None:
    """Ours: a log that joins pieces keeps no time of each, so none is told."""
    apart = Log().start().think("Hm", "m.").think(" So.")
    pieces = [replace(one, at_s=AT_S + at) for at, one in enumerate(apart.stretches)]
    joined = Log().start().think("Hm", "m.", " So.")
    how = telling(details=True)
    assert told(pieces, how, UI)[0][2:] == told(joined.stretches, how, UI)[0][2:] != []
