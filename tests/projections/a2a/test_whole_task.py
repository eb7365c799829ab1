"""The task as it stands."""

from __future__ import annotations

from treadle.projections.a2a.whole_task import WholeTask
from treadle.projections.a2a.wire import Data, Message, Role, State, Status, Text


def said(name: str, role: Role = Role.AGENT) -> Message:
    """A message."""
    return Message(message_id=name, role=role, parts=(Text(name),))


def test_a_message_of_a_status_goes_to_the_history_with_the_next_one() -> None:
    """a2a-sdk: the task manager does so, and so does whoever folds our frames."""
    whole = WholeTask(1.0)
    whole.stands(Status(state=State.WORKING, at_s=2.0, message=said("a")), {"x": 1})
    whole.stands(Status(state=State.WORKING, at_s=3.0, message=said("b")), {"x": 2})
    whole.heard(said("c", Role.USER))
    task = whole.task()
    assert [message.message_id for message in task.history] == ["a", "b", "c"]
    assert task.status == Status(state=State.WORKING, at_s=3.0)
    assert task.metadata == {"x": 2}


def test_artifacts_are_those_that_were_made() -> None:
    """Ours: a run that said nothing has no response; one whose text was taken back has an empty one."""
    whole = WholeTask(1.0)
    assert whole.task().artifacts == []
    whole.responds = True
    whole.made({"sum": 3})
    assert [artifact.parts for artifact in whole.task().artifacts] == [(Text(""),), (Data({"sum": 3}),)]
    assert whole.task(with_artifacts=False).artifacts == ()
