"""The dialects."""

from __future__ import annotations

import pytest

from treadle.projections.a2a.wire import (
    DIALECTS,
    Artifact,
    Data,
    Message,
    Role,
    Shape,
    State,
    Status,
    Task,
    Text,
    as_object,
    timestamp,
)
from treadle.values.mappings import EMPTY

SAID = Message(message_id="m", role=Role.AGENT, parts=(Text("a"), Data({"b": 1})))
TASK = Task(
    status=Status(state=State.CANCELED, at_s=0.0, message=SAID),
    artifacts=(Artifact(artifact_id="response", parts=(Text("a"),)),),
    history=(SAID,),
    metadata={"code": "c"},
)


def test_every_state_has_its_word_in_every_dialect() -> None:
    """A2A 1.0 and 0.3: the names of states; over 0.3's paths a cancelled task has two l."""
    assert DIALECTS[Shape.V1_0].STATES[State.INPUT_REQUIRED] == "TASK_STATE_INPUT_REQUIRED"
    assert DIALECTS[Shape.V0_3].STATES[State.INPUT_REQUIRED] == "input-required"
    assert DIALECTS[Shape.V0_3_REST].STATES[State.CANCELED] == "TASK_STATE_CANCELLED"
    assert all(set(dialect.STATES) == set(State) for dialect in DIALECTS.values())
    assert set(DIALECTS) == set(Shape)


@pytest.mark.parametrize(
    ("shape", "parts"),
    [
        (Shape.V1_0, [{"text": "a"}, {"data": {"b": 1}, "mediaType": "application/json"}]),
        (Shape.V0_3, [{"kind": "text", "text": "a"}, {"kind": "data", "data": {"b": 1}}]),
        (Shape.V0_3_REST, [{"text": "a"}, {"data": {"data": {"b": 1}}}]),
    ],
)
def test_a_task_is_said_with_its_parts(shape: Shape, parts: object) -> None:
    """A2A 1.0 and 0.3: the same task in three forms."""
    dialect = DIALECTS[shape]("r1", "t1")
    said = dialect.task(TASK)
    assert (said["id"], said["contextId"], said["metadata"]) == ("r1", "t1", {"code": "c"})
    message = said["status"]["message"]
    assert message["content" if shape is Shape.V0_3_REST else "parts"] == parts
    assert said["history"] == [message]
    assert ("kind" in said) is (shape is Shape.V0_3)
    assert "extensions" not in message
    empty = dialect.task(Task(status=Status(state=State.WORKING, at_s=0.0), artifacts=(), history=(), metadata=EMPTY))
    assert not {"artifacts", "history", "metadata"} & set(empty)
    bare = dialect.task_frame(TASK)
    assert (bare if shape is Shape.V0_3 else bare["task"]) == said


def test_times_are_utc_to_the_millisecond() -> None:
    """A2A 1.0: `YYYY-MM-DDTHH:mm:ss.sssZ`."""
    assert timestamp(1_700_000_000.25) == "2023-11-14T22:13:20.250Z"


def test_what_is_no_object_stands_under_a_name() -> None:
    """A2A 0.3: data is an object."""
    assert as_object({"a": 1}) == {"a": 1}
    assert as_object([1]) == {"value": [1]}
