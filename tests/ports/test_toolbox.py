"""What a call and its run tell each other through the port."""

from __future__ import annotations

from treadle.ports.toolbox import CallInterrupted, InterruptAsk


def test_what_a_call_asks_cannot_change_while_people_think() -> None:
    """Promise 7: a pause is bound to what was asked."""
    payload = {"cents": [5]}
    ask = InterruptAsk(name="confirm", payload=payload, schema={"enum": [True]})
    payload["cents"].append(6)
    assert ask.payload == {"cents": (5,)}
    assert ask.schema == {"enum": (True,)}


def test_the_signal_of_a_call_that_asks_is_no_exception_that_a_tool_would_catch() -> None:
    """Ours: `except Exception` in a tool lets it through, as it does a cancellation."""
    signal = CallInterrupted(InterruptAsk(name="confirm"))
    assert not isinstance(signal, Exception)
    assert (signal.ask.name, str(signal)) == ("confirm", "confirm")
