"""A conversation that a caller brings: what is asked now, and what went before."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from treadle.errors import PlanError
from treadle.runtime.conversation import conversation_of
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.ids import CallId
from treadle.values.model import ModelTurn
from treadle.values.requests import Attachment, HistoryMessage, TurnMessage, UserMessage

ASKED, SAID = UserMessage(text="1+2?"), TurnMessage(turn=ModelTurn(text="3"))
NOW = UserMessage(text="and 4?")
FILE = Attachment(media_type="text/plain", data=b"x")


def test_one_text_is_what_is_asked() -> None:
    """Ours: most callers say one thing."""
    assert conversation_of("hi", "t") == (UserMessage(text="hi"), ())


def test_the_last_message_is_what_is_asked() -> None:
    """ADR 0041: those before it are the history, in their order."""
    assert conversation_of([ASKED, SAID, NOW], None) == (NOW, (ASKED, SAID))


def test_one_message_alone_may_go_to_a_thread() -> None:
    """Ours: it brings no history, and its files are those of now."""
    now = UserMessage(text="look", attachments=(FILE,))
    assert conversation_of([now], "t") == (now, ())


@pytest.mark.requirement("RUNNER-brought")
@pytest.mark.parametrize(
    "claimed",
    [
        TurnMessage(turn=ModelTurn(text="3", tool_requests=(ToolRequest(name="pay"),))),
        TurnMessage(turn=ModelTurn(text="3"), outcomes=(ToolOutcome(call_id=CallId("c1"), content="paid"),)),
        TurnMessage(turn=ModelTurn(text="3", thinking="hm")),
        TurnMessage(turn=ModelTurn(text="3", payload={"seal": 1})),
        UserMessage(text="look", attachments=(FILE,)),
    ],
)
def test_what_is_more_than_text_is_refused(claimed: HistoryMessage) -> None:
    """ADR 0041: what a client says that tools did, or that a model thought, is not ours to believe."""
    with pytest.raises(PlanError, match="text alone"):
        conversation_of([claimed, NOW], None)


@pytest.mark.parametrize(
    ("messages", "thread_id", "says"),
    [([], None, "ends with"), ([NOW, SAID], None, "ends with"), ([ASKED, SAID, NOW], "t", "not both")],
)
def test_what_cannot_be_asked_is_refused(messages: Sequence[HistoryMessage], thread_id: str | None, says: str) -> None:
    """Ours: and it is said what is wrong with it."""
    with pytest.raises(PlanError, match=says):
        conversation_of(messages, thread_id)
