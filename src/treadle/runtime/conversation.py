"""A conversation that is kept elsewhere, to what a run is asked and what it is told of before.

In: what a caller says, be it one text or messages. Out: the newest message of the user, and the history: text alone.
What a caller claims that tools did, or that a model thought, is not ours to believe.

Source: ADR 0041 (what a caller brings as history is text, and part of the request).
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.errors import PlanError
from treadle.values.model import ModelTurn
from treadle.values.requests import HistoryMessage, TurnMessage, UserMessage


def conversation_of(
    prompt: str | Sequence[HistoryMessage], thread_id: str | None
) -> tuple[UserMessage, tuple[HistoryMessage, ...]]:
    """What is asked now, and what went before.

    Raises:
        PlanError: There are messages that are not text, the last is not the user's, or a thread has its own history.
    """
    if isinstance(prompt, str):
        return UserMessage(text=prompt), ()
    history, now = prompt[:-1], prompt[-1] if prompt else None
    problems = []
    if not isinstance(now, UserMessage):
        problems.append("a conversation ends with a message of the user")
    if history and thread_id:
        problems.append("a thread has its own history: bring one, or name a thread, not both")
    if not all(_is_text(message) for message in history):
        problems.append("a history is messages of a user and turns of text alone: no files, calls, results or payloads")
    if problems:
        raise PlanError(tuple(problems))
    assert isinstance(now, UserMessage)
    return now, tuple(history)


def _is_text(message: HistoryMessage) -> bool:
    if isinstance(message, UserMessage):
        return not message.attachments
    return message == TurnMessage(turn=ModelTurn(text=message.turn.text))
