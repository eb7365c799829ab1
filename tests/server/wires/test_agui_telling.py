"""How clients of AG-UI are told a run, from what is stored of it."""

from __future__ import annotations

from dataclasses import replace

from tests.server.test_replaying import asking, run_of
from treadle.projections.agui.telling import Telling
from treadle.runtime.scoped_runs import ASKED
from treadle.server.wires.agui_telling import MESSAGE, answered, begun, folded, message_of
from treadle.values.exposure import UI
from treadle.values.ids import InterruptId
from treadle.values.runs import RunStatus


def test_what_a_client_called_its_message_is_kept_with_the_run() -> None:
    """docs/protocols/agui.md: also where the run's facts are deleted, for it stands with its state."""
    run = run_of(asking(), RunStatus.WAITING).state
    assert message_of(run) == ""
    named = replace(run, properties={ASKED: {MESSAGE: "user-1"}}, request=b"")
    assert message_of(named) == "user-1"
    assert message_of(replace(run, properties={ASKED: {MESSAGE: 5}})) == ""


def test_an_answer_goes_on_behind_the_pause_or_tells_it_again() -> None:
    """docs/protocols/agui.md: with pauses left open the segment's end is told again, and they with it."""
    run = run_of(asking(), RunStatus.WAITING).state
    telling = begun(Telling(thread_id="t", run_id="r"), "m")
    assert (telling.user_message_id, telling.after) == ("m", -1)
    on = answered(telling, run, open_=())
    assert (on.after, on.rests, on.open_pauses) == (4, False, frozenset())
    left = answered(telling, run, open_=[InterruptId("r1.i2")])
    assert (left.rests, left.open_pauses) == (True, {"r1.i2"})
    assert folded(on, UI) == folded(answered(telling, run, open_=()), UI) != folded(left, UI)
