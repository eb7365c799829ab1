"""What a mount may say: nothing stands in a cut event that its exposure does not name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import APPROVAL, CALL, OUTCOME, QUESTION, RUN, SAMPLES, event, kernel_events
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.events import EVENT_TYPES, KernelEvent
from treadle.values.exposure import (
    CUTS,
    HOW_IT_ENDED,
    OPAQUE,
    TEXT_ONLY,
    UI,
    ErrorExposure,
    Exposure,
    PauseExposure,
    ToolExposure,
    exposed,
    exposed_stretches,
    is_hidden,
    speaks,
)
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.stretches import EntryStretch, SpeechStretch
from treadle.values.usage import NO_USAGE

exposures = st.builds(
    Exposure,
    tools=st.sampled_from(ToolExposure),
    thinking=st.booleans(),
    errors=st.sampled_from(ErrorExposure),
    usage=st.booleans(),
    extensions=st.sampled_from([frozenset(), frozenset({"x"})]),
    extracted=st.booleans(),
    pauses=st.sampled_from(PauseExposure),
)

CANARY = "c4n4ry"
FULL_CALL = ev.ToolCall(
    index=0,
    run_id=RUN,
    request=ToolRequest(
        call_id=CALL, name=f"{CANARY}-name", arguments={"a": f"{CANARY}-argument"}, raw_arguments=CANARY
    ),
    streamed=True,
)
FAILED = ToolOutcome(call_id=CALL, status=ToolStatus.FAILED, content=f"{CANARY}-content", error=f"{CANARY}-error")


def cut(event: KernelEvent, exposure: Exposure) -> Any:  # noqa: ANN401 (an event of the class that is given)
    """As a mount knows it."""
    return exposed(event, exposure)


def test_every_class_of_event_has_its_cut() -> None:
    """Design 8: total by event class; an unknown class is a KeyError."""
    assert set(CUTS) == set(EVENT_TYPES)
    with pytest.raises(KeyError):
        exposed(object(), UI)  # type: ignore[arg-type] # what is no event


@given(kernel_events(), exposures)
def test_an_event_keeps_its_class_its_place_and_its_run(told: KernelEvent, exposure: Exposure) -> None:
    """Ours: an exposure only takes away."""
    shown = exposed(told, exposure)
    if shown is not None:
        assert (type(shown), shown.index, shown.run_id) == (type(told), told.index, told.run_id)
        assert exposed(shown, exposure) == shown


def test_why_a_step_failed_is_told_where_the_words_of_others_are() -> None:
    """Ours: the reason is what a store of memories says of itself; that it failed is told to all."""
    failed = ev.Stage(index=0, run_id=RUN, stage_id="recall", phase="ended", outcome="error", reason=CANARY)
    assert cut(failed, Exposure(errors=ErrorExposure.TEXT)) == failed
    assert cut(failed, UI) == replace(failed, reason=None)


def test_what_a_page_of_the_user_s_is_told_is_all_but_what_has_to_be_asked_for() -> None:
    """Issue: full tools for the user's own UI, errors code-only everywhere."""
    hidden = {type(told) for told in SAMPLES if exposed(told, UI) is None}
    assert hidden == {ev.Extension, ev.Extracted}
    assert cut(FULL_CALL, UI).request.arguments == {"a": f"{CANARY}-argument"}
    assert cut(event(ev.Extension, type="x"), Exposure(extensions=frozenset({"x"}))) is not None
    assert cut(event(ev.Extracted, tag="M"), Exposure(extracted=True)) is not None


@pytest.mark.requirement("SERVE-exposure")
@pytest.mark.parametrize("tools", [ToolExposure.NAMES, ToolExposure.OPAQUE, ToolExposure.NONE])
def test_a_call_says_no_more_than_its_mount_may(tools: ToolExposure) -> None:
    """Design 8: `names` shows calls with empty arguments and a fixed result; `opaque` that something was called."""
    exposure = Exposure(tools=tools, errors=ErrorExposure.TEXT)
    shown = [
        exposed(event(ev.ToolAnnounced, call_id=CALL, name=f"{CANARY}-name"), exposure),
        exposed(event(ev.ToolArguments, call_id=CALL, text=CANARY), exposure),
        exposed(FULL_CALL, exposure),
        exposed(event(ev.ToolProgress, call_id=CALL, sequence=0, payload=CANARY), exposure),
        exposed(event(ev.ToolResult, outcome=FAILED), exposure),
    ]
    said = repr(shown)
    assert f"{CANARY}-argument" not in said
    assert f"{CANARY}-content" not in said
    assert f"{CANARY}-error" not in said
    assert (f"{CANARY}-name" in said) == (tools is ToolExposure.NAMES)
    count = sum(one is not None for one in shown)
    assert count == (0 if tools is ToolExposure.NONE else 3)


@pytest.mark.parametrize("status", [one for one in ToolStatus if one is not ToolStatus.OK])
def test_how_a_call_ended_is_a_fixed_sentence(status: ToolStatus) -> None:
    """Design 8: errors a stable code and a fixed sentence."""
    told = event(ev.ToolResult, outcome=replace(FAILED, status=status))
    assert cut(told, UI).outcome.error == HOW_IT_ENDED[status]
    assert cut(told, Exposure(errors=ErrorExposure.TEXT)).outcome.error == f"{CANARY}-error"


def test_why_a_call_was_damaged_is_told_to_the_model_alone() -> None:
    """Ours: it may quote what no answer holds."""
    told = replace(FULL_CALL, request=replace(FULL_CALL.request, damage=CANARY))
    assert cut(told, UI).request.damage == "damaged"
    assert cut(told, Exposure(errors=ErrorExposure.TEXT)).request.damage == CANARY


def test_the_detail_of_an_error_and_usage_go_where_they_may() -> None:
    """Design 8."""
    failed = event(ev.Error, outcome=replace(OUTCOME, messages=(CANARY,)), code="x", detail=CANARY)
    assert CANARY not in repr(cut(failed, UI))
    assert cut(failed, Exposure(errors=ErrorExposure.TEXT)).detail == CANARY
    assert cut(failed, Exposure(usage=False)).outcome.usage == NO_USAGE
    ended = event(ev.RoundEnded, round=1, attempt=1, usage=OUTCOME.usage)
    assert cut(ended, Exposure(usage=False)).usage == NO_USAGE
    assert cut(ended, UI).usage == OUTCOME.usage


@pytest.mark.parametrize("kind", PauseKind)
def test_a_pause_that_may_not_be_shown_says_only_that_a_decision_is_due(kind: PauseKind) -> None:
    """Design 8: and gives no token; questions are written to be shown."""
    pending = PendingInterrupt(
        interrupt_id=APPROVAL.interrupt_id, kind=kind, call_id=CALL, request={"name": CANARY}, arguments_digest=CANARY
    )
    told = event(ev.Interrupt, pending=(pending,), outcome=OUTCOME)
    (shown,) = cut(told, OPAQUE).pending
    asks_about_a_call = kind in (PauseKind.APPROVAL, PauseKind.FRONT_END)
    assert is_hidden(shown) == asks_about_a_call
    assert (CANARY in repr(shown)) != asks_about_a_call
    assert cut(told, TEXT_ONLY).pending == (pending,)
    assert cut(event(ev.AskUser, pending=(QUESTION,), outcome=OUTCOME), OPAQUE).pending == (QUESTION,)


def test_an_answer_is_what_a_call_runs_with() -> None:
    """Ours: so it is told where calls are."""
    resumed = next(told for told in SAMPLES if isinstance(told, ev.Resumed))
    assert cut(resumed, UI) == resumed
    assert [one.value for one in cut(resumed, OPAQUE).resolutions] == [None]


@given(exposures, st.lists(kernel_events(), max_size=5))
def test_whoever_counts_knows_how_far_the_log_is(exposure: Exposure, told: list[KernelEvent]) -> None:
    """Ours: hidden events leave no doubt which comes next."""
    placed = tuple(replace(one, index=number) for number, one in enumerate(told))
    stretch = EntryStretch(seq=0, index=0, entries=placed, at_s=1.0)
    shown = exposed_stretches(stretch, exposure)
    assert [event for one in shown for event in one.entries] == [  # type: ignore[union-attr] # entries come in entries
        event for event in (exposed(one, exposure) for one in placed) if event is not None
    ]
    last = shown[-1]
    assert isinstance(last, EntryStretch)
    reached = last.entries[-1].index if last.entries else last.index - 1  # type: ignore[union-attr] # events alone
    assert reached == len(told) - 1


@pytest.mark.parametrize("kind", [TEXT, THINKING, ARGUMENTS])
def test_speech_is_told_whole_or_not_at_all(kind: str) -> None:
    """Ours: a piece of it tells as much as all."""
    stretch = SpeechStretch(seq=4, index=3, kind=kind, key=CALL if kind == ARGUMENTS else 1, texts=("a", "b"), at_s=0.0)
    for exposure in (UI, TEXT_ONLY, OPAQUE, Exposure(tools=ToolExposure.NAMES)):
        if speaks(kind, exposure):
            assert exposed_stretches(stretch, exposure) == (stretch,)
        else:
            (passed,) = exposed_stretches(stretch, exposure)
            assert isinstance(passed, EntryStretch)
            assert (passed.index, passed.entries, passed.seq) == (5, (), 6)
    assert [speaks(kind, TEXT_ONLY), speaks(kind, UI)] == [kind == TEXT, True]


def test_extensions_are_a_set_of_types() -> None:
    """Ours: a text is a set of letters to Python, which nobody means."""
    with pytest.raises(TypeError, match="not the text 'x'"):
        Exposure(extensions="x")  # type: ignore[arg-type] # what somebody may write
    assert Exposure(tools="none").tools is ToolExposure.NONE  # type: ignore[arg-type] # as it is written in files
