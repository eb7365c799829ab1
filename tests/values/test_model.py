"""What a model says."""

from __future__ import annotations

from treadle.values.model import ARGUMENTS, TEXT, THINKING, ModelDelta, ModelTurn, StopReason
from treadle.values.usage import NO_USAGE


def test_a_turn_says_nothing_that_its_model_did_not_say() -> None:
    """Ours: the defaults of a turn are silence, not claims."""
    turn = ModelTurn()
    assert (turn.text, turn.tool_requests, turn.usage, turn.stop_reason, turn.payload) == ("", (), NO_USAGE, None, None)
    assert (turn.damage, turn.thinking) == (None, "")


def test_the_payload_of_a_turn_is_carried_as_it_is() -> None:
    """Ours: the adapter's own object is handed back, never read."""
    theirs = object()
    assert ModelTurn(payload=theirs).payload is theirs


def test_the_kinds_of_a_piece_are_three() -> None:
    """Ours: a piece is text, thinking or argument text."""
    assert [ModelDelta(kind=kind, text="x").kind for kind in (TEXT, THINKING, ARGUMENTS)] == [
        "text",
        "thinking",
        "arguments",
    ]


def test_the_labels_are_the_ones_that_providers_share() -> None:
    """Ours: what no word fits is `other`."""
    assert {str(reason) for reason in StopReason} == {"stop", "tool_calls", "length", "content_filter", "other"}
