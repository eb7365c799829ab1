"""What is asked, as a message."""

from __future__ import annotations

from dataclasses import replace

from tests.projections.a2a.samples import LEAVE, QUESTION
from tests.projections.a2a.task_folds import token_of
from treadle.projections.a2a.pauses import DUE, no_token, waiting_message, waiting_state
from treadle.projections.a2a.wire import Data, State, Text
from treadle.values.pauses import PauseKind

HIDDEN = replace(LEAVE, request={}, response_schema={})


def test_a_task_waits_for_its_client_unless_all_is_hidden() -> None:
    """Design §8: a hidden approval is `auth-required`."""
    assert waiting_state([QUESTION, HIDDEN]) is State.INPUT_REQUIRED
    assert waiting_state([HIDDEN]) is State.AUTH_REQUIRED
    assert waiting_message("m", [HIDDEN], token_of).parts == (Text(DUE),)


def test_each_kind_of_pause_has_its_words() -> None:
    """Ours: a person who reads the message alone knows what is wanted."""
    words = []
    for kind in PauseKind:
        asked = QUESTION if kind is PauseKind.ASK_USER else replace(LEAVE, kind=kind)
        said, data = waiting_message("m", [asked], no_token).parts
        assert isinstance(said, Text)
        assert isinstance(data, Data)
        words.append(said.text)
    assert len(set(words)) == len(PauseKind)
    assert all("transfer" in said or "colour" in said for said in words)


def test_a_pause_without_a_time_says_none() -> None:
    """Ours: what is not there is left out."""
    _, data = waiting_message("m", [QUESTION, LEAVE], no_token).parts
    assert isinstance(data, Data)
    first, second = data.data["pauses"]
    assert "expires_at" in first
    assert "expires_at" not in second


def test_a_reader_who_may_not_answer_has_no_token() -> None:
    """ADR 0032: a token goes to whoever may answer."""
    assert waiting_message("m", [QUESTION], no_token).metadata == {}
