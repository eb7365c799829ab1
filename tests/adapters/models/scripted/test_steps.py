"""Steps of a script: legal if they exist."""

from collections.abc import Callable

import pytest

from treadle.adapters.models.scripted.steps import (
    Called,
    Continued,
    Fault,
    FaultKind,
    Gate,
    Said,
    ScriptedTurn,
    turn,
)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Said(pieces=()),
        lambda: Said(pieces=("a", "")),
        lambda: Said(kind="arguments", pieces=("a",)),
        lambda: Called(name=""),
        lambda: Called(name="f", cut=0),
        lambda: ScriptedTurn(attempts=()),
        lambda: turn(Fault(kind=FaultKind.EOF), Gate(name="a")),
        lambda: turn(Continued(slot=0, text="x")),
        lambda: turn(Called(name="f"), Continued(slot=1, text="x")),
        lambda: turn(again=((Fault(kind=FaultKind.EOF), Gate(name="a")),)),
    ],
)
def test_what_no_model_can_say_is_refused(make: Callable[[], object]) -> None:
    """A script that exists can be played (ours)."""
    with pytest.raises(ValueError, match=r"."):
        make()


def test_a_turn_holds_its_attempts_in_order() -> None:
    """The first, then those that follow when it is asked again (ours)."""
    first, second = Fault(kind=FaultKind.BUSY), Said(pieces=("a",))
    assert turn(first, again=((second,),)) == ScriptedTurn(attempts=((first,), (second,)))
