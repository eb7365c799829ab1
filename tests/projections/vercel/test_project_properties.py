"""What is true of every run: of each legal log, however it is cut, whenever its reader comes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.legal_logs import LegalRun, Mix, legal_run, legal_runs
from tests.projections.log_cuts import recut
from tests.projections.vercel.held import ENDING, OPTIONS, folded, held, leave, lived, replayed
from tests.projections.vercel.ui_client import UiClient
from treadle.projections.vercel.project import ResponseOptions
from treadle.values import events as ev
from treadle.values.exposure import Exposure, PauseExposure, ToolExposure, exposed, exposed_stretches
from treadle.values.stretches import EntryStretch, Stretch, events_of

paused_runs = st.integers(0, 2**32).map(lambda seed: legal_run(seed, Mix(paused=1.0, waiting=4.0)))
retracted_runs = st.integers(0, 2**32).map(lambda seed: legal_run(seed, Mix(retracted=1.0, done=6.0)))


def holds(client: UiClient, run: LegalRun) -> None:
    """The client holds what the log says."""
    wanted = held(run.events)
    assert (client.text, client.ending) == (wanted.text, wanted.ending)
    assert client.message_id == run.run_id
    for call_id, content in wanted.tools.items():
        part = client.tools[call_id]
        if call_id in wanted.failed:
            assert part["state"] in ("output-error", "output-denied")
        else:
            assert (part["state"], part["output"]) == ("output-available", plain(content))


def plain(content: object) -> object:
    """JSON terms as a JSON reader gives them."""
    if isinstance(content, dict):
        return {name: plain(value) for name, value in content.items()}
    return [plain(value) for value in content] if isinstance(content, list | tuple) else content


@pytest.mark.requirement("VERCEL-message", "VERCEL-brackets")
@given(legal_runs)
def test_whoever_comes_to_a_run_that_rests_is_told_the_whole_of_it(run: LegalRun) -> None:
    """Design 8: whole message from `start`; what is open is closed before any end."""
    client = UiClient().read(replayed(run.stretches))
    holds(client, run)
    is_waiting = isinstance(run.end, ev.PAUSE_TYPES)
    assert client.metadata["state"] == ("paused" if is_waiting else run.end.kind)
    assert not client.sends_by_itself


@pytest.mark.requirement("VERCEL-segments")
@given(paused_runs)
def test_whoever_answers_goes_on_in_the_same_message(run: LegalRun) -> None:
    """Design 8: their message is the run, over all its segments; a client holds the same at their end."""
    client, events = UiClient(), run.events
    for options in lived(events, replace(OPTIONS, resets=True)):
        client.answer(leave(events), dict.fromkeys(client.tools))
        client.read(folded(run.stretches, options))
    holds(client, run)
    assert not client.sends_by_itself


@pytest.mark.requirement("VERCEL-answered-twice")
@given(paused_runs, st.data())
def test_whoever_repeats_an_answer_is_told_all_that_came_of_it(run: LegalRun, data: st.DataObject) -> None:
    """Ours: the response to an answer was lost; by now the run may have come to its end, over other pauses."""
    told = lived(run.events, replace(OPTIONS, resets=True))
    lost = data.draw(st.integers(0, len(told) - 1), label="response that was lost")
    if lost == 0:
        return
    client = UiClient()
    for options in told[:lost]:
        client.answer(leave(run.events), dict.fromkeys(client.tools))
        client.read(folded(run.stretches, options))
    client.answer(leave(run.events), dict.fromkeys(client.tools))
    client.read(folded(run.stretches, replace(told[lost], live_from=run.end.index)))
    holds(client, run)


@pytest.mark.requirement("VERCEL-cut")
@given(legal_runs, st.integers(0, 2**32), st.integers(0, 60), st.booleans())
def test_how_a_log_is_cut_changes_nothing(run: LegalRun, seed: int, live_from: int, resets: bool) -> None:  # noqa: FBT001 (Hypothesis draws it)
    """Design 8: the same log gives the same bytes."""
    again = recut(run.stretches, seed)
    told = [replace(one, resets=resets) for one in lived(run.events)] + [replace(OPTIONS, live_from=live_from)]
    for options in told:
        assert folded(run.stretches, options) == folded(again, options)


@pytest.mark.requirement("VERCEL-retraction")
@given(retracted_runs, st.data())
def test_whoever_comes_in_the_middle_is_told_what_stands_and_then_what_comes(
    run: LegalRun, data: st.DataObject
) -> None:
    """Design 8: a replay leaves void text out; one who has seen it is told that the answer is made again."""
    events = run.events
    came = data.draw(st.integers(1, len(events)), label="events that were there")
    client = UiClient()
    payloads = folded(run.stretches, replace(OPTIONS, live_from=came))
    if came == len(events) and not isinstance(run.end, ev.FINAL_TYPES):
        assert payloads[-1] != "[DONE]"  # It waits for what comes behind the pause.
        return
    client.read(payloads)
    closing = next(event for event in events[came:] + events[-1:] if isinstance(event, ev.CLOSING_TYPES))
    if client.reason.startswith("restarted: "):
        assert any(isinstance(event, ev.Retracted) for event in events[came : closing.index])
        return
    assert (client.text, client.ending) == (closing.outcome.text, ENDING[closing.kind])


@given(retracted_runs)
def test_a_client_that_knows_how_is_told_to_forget_what_is_void(run: LegalRun) -> None:
    """Source: AI SDK stream protocol, `reset-step`. The response goes on, and nothing else of the step is lost."""
    client = UiClient()
    for options in lived(run.events, replace(OPTIONS, resets=True)):
        client.answer(leave(run.events), dict.fromkeys(client.tools))
        client.read(folded(run.stretches, options))
    holds(client, run)
    told = [event for event in run.events if isinstance(event, ev.Extension | ev.Dropped)]
    assert len([part for part in client.data if not part["type"].endswith(("pause", "extracted"))]) == len(told)


@given(paused_runs)
def test_nobody_goes_on_behind_anything_but_a_pause(run: LegalRun) -> None:
    """Ours: a message that is gone on with in the middle of a segment would have no beginning."""
    for event in run.events[:12]:
        if not isinstance(event, ev.CLOSING_TYPES):
            with pytest.raises(ValueError, match=f"event {event.index} of the run is none"):
                folded(run.stretches, replace(OPTIONS, after=event.index, live_from=event.index + 1))


@given(
    legal_runs,
    st.builds(
        Exposure,
        tools=st.sampled_from(ToolExposure),
        thinking=st.booleans(),
        pauses=st.sampled_from(PauseExposure),
        extensions=st.sampled_from([frozenset(), frozenset({"chart"})]),
        extracted=st.booleans(),
        usage=st.booleans(),
    ),
)
def test_brackets_stay_balanced_whatever_is_hidden(run: LegalRun, exposure: Exposure) -> None:
    """Design 8: brackets stay balanced under each exposure."""
    shown: list[Stretch] = [one for stretch in run.stretches for one in exposed_stretches(stretch, exposure)]
    client = UiClient().read(folded(shown, replace(OPTIONS, live_from=run.end.index)))
    assert client.text == run.end.outcome.text  # type: ignore[union-attr] # it closes a segment
    if exposure.tools is ToolExposure.NONE and exposure.pauses is PauseExposure.DUE:
        assert all(part["name"] in ("confirm.place", "ask_user") for part in client.tools.values())
    if exposure.tools is ToolExposure.OPAQUE and exposure.pauses is PauseExposure.DUE:
        asked = ("confirm.place", "ask_user", "step")
        assert all(part["name"] in asked for part in client.tools.values())
    if not exposure.thinking:
        assert client.thinking == ""


@given(legal_runs, st.integers(0, 2**32))
def test_a_fold_that_is_fed_events_one_by_one_says_the_same(run: LegalRun, seed: int) -> None:
    """Ours: a stretch of speech is a quicker way to what its events say."""
    single: list[Stretch] = [
        EntryStretch(seq=event.index, index=event.index, entries=(event,), at_s=0.0)
        for stretch in recut(run.stretches, seed)
        for event in events_of(stretch, run.run_id)
    ]
    assert replayed(single) == replayed(run.stretches)


def test_an_exposure_that_hides_nothing_changes_nothing() -> None:
    """Ours: what the tests above fold is what a mount folds."""
    exposure = Exposure(errors="text", extensions=frozenset({"chart", "note"}), extracted=True)  # type: ignore[arg-type] # a name does
    options: ResponseOptions = OPTIONS
    for seed in range(20):
        run = legal_run(seed)
        shown = [one for stretch in run.stretches for one in exposed_stretches(stretch, exposure)]
        whole = replace(options, live_from=run.end.index)
        assert all(exposed(event, exposure) is not None for event in run.events)
        assert folded(shown, whole) == folded(run.stretches, whole)
