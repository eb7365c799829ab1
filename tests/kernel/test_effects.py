"""What the machine wants done."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

import pytest
from hypothesis import given

from tests.kernel.plays import Play, played, plays
from treadle.kernel.effects import (
    AskModel,
    CallTools,
    Close,
    Effect,
    Emit,
    Keep,
    Recall,
    StopModel,
    StopTools,
    Wait,
)
from treadle.values.events import CLOSING_TYPES, EVENT_TYPES
from treadle.values.facts import FACT_TYPES


@given(plays)
def test_only_effects_come_out_and_events_and_facts_each_by_their_own(play: Play) -> None:
    """Design: a closing event is a `Close`, every other a draft, and a fact is kept."""
    for effect in played(play).effects:
        assert isinstance(effect, get_args(Effect))
        match effect:
            case Emit():
                assert effect.event in EVENT_TYPES
                assert effect.event not in CLOSING_TYPES
            case Close():
                assert effect.event in CLOSING_TYPES
            case Keep():
                assert isinstance(effect.fact, FACT_TYPES)


@given(plays)
@pytest.mark.requirement("EV-2")
def test_no_draft_has_an_index_or_a_run(play: Play) -> None:
    """EV-2: only the run's writer numbers an event."""
    for effect in played(play).effects:
        if isinstance(effect, Emit | Close):
            open_to_the_writer = {"index", "run_id", "outcome"} if isinstance(effect, Close) else {"index", "run_id"}
            named = {field.name for field in fields(effect.event)}
            assert set(effect.fields) <= named - open_to_the_writer


@given(plays)
def test_what_is_wanted_of_the_outside_is_wanted_last(play: Play) -> None:
    """Design: commit first, then act: what an act needs is written down before it."""
    run = played(play)
    acts = (AskModel, CallTools, StopTools, Recall, Wait)
    for effects in run.told:
        wanted = [at for at, effect in enumerate(effects) if isinstance(effect, acts)]
        assert wanted in ([], [len(effects) - 1])
        stops = [at for at, effect in enumerate(effects) if isinstance(effect, StopModel)]
        assert stops in ([], [0])
