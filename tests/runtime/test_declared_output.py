"""The output that an agent declares, while its run goes on."""

from __future__ import annotations

import pytest

from treadle.errors import ModelOutputError
from treadle.runtime.declared_output import DeclaredOutput
from treadle.values import events as ev
from treadle.values.mappings import EMPTY
from treadle.values.model import ModelTurn, StopReason

POINT = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


def _never() -> str:
    raise AssertionError("the answer was asked for")


@pytest.mark.requirement("OUTPUT-misfit")
def test_a_whole_turn_is_held_against_what_was_shown_of_it() -> None:
    """ADR 0045: the shown text is read, not what the model said beside it."""
    declared = DeclaredOutput(POINT)
    assert declared.misfit(ModelTurn(text="raw"), lambda: '{"x": 1}') is None
    wrong = declared.misfit(ModelTurn(text='{"x": 1}'), lambda: "shown")
    assert isinstance(wrong, ModelOutputError)
    assert "not one JSON object" in str(wrong.detail)
    for cut in (ModelTurn(damage="two calls"), ModelTurn(stop_reason=StopReason.LENGTH)):
        assert declared.misfit(cut, _never) is None


@pytest.mark.requirement("OUTPUT-outcome")
def test_only_a_run_that_is_done_has_an_output() -> None:
    """ADR 0045: of every other closing event nothing."""
    declared = DeclaredOutput(POINT)
    read = declared.reader(ev.Done)
    assert read is not None
    assert (read(' {"x": 1}'), read("no")) == ({"x": 1}, None)
    for closing in (ev.Error, ev.Cancelled, ev.AskUser, ev.Interrupt):
        assert declared.reader(closing) is None


def test_an_agent_that_declares_none_pays_nothing() -> None:
    """Ours: its answer is not even put together."""
    none = DeclaredOutput(EMPTY)
    assert (none.blocks, none.misfit(ModelTurn(), _never), none.reader(ev.Done)) == ((), None, None)
