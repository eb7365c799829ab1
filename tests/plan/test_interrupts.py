"""Questions that a tool asks in the middle of its work."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import pytest
from pydantic import BaseModel

from treadle.errors import StateError
from treadle.plan.interrupts import ASKING, Asking, interrupt
from treadle.ports.toolbox import CallInterrupted, InterruptAnswered, InterruptAsk


class Size(BaseModel):
    """What an answer may be made into."""

    width: int


def called(tool: Callable[[], Any], *answered: InterruptAnswered) -> Any:  # noqa: ANN401 (what it returns)
    """What a tool returns that is called with these answers."""
    asking = Asking(answered)

    def call() -> Any:  # noqa: ANN401 (as above)
        ASKING.set(asking)
        return tool()

    return copy_context().run(call)


def said(name: str, value: Any, payload: Any = None) -> InterruptAnswered:  # noqa: ANN401 (JSON terms)
    """An interrupt that was answered."""
    return InterruptAnswered(ask=InterruptAsk(name=name, payload=payload), value=value)


@pytest.mark.requirement("PAUSE-interrupt")
def test_the_first_call_ends_where_it_asks() -> None:
    """Ours: nothing of a call is held while people think."""
    done: list[str] = []

    def tool() -> str:
        done.append("before")
        interrupt("confirm", {"cents": 5}, {"type": "boolean"})
        done.append("after")
        return "paid"

    with pytest.raises(CallInterrupted) as asked:
        called(tool)
    assert asked.value.ask == InterruptAsk(name="confirm", payload={"cents": 5}, schema={"type": "boolean"})
    assert done == ["before"]


@pytest.mark.requirement("PAUSE-interrupt")
def test_an_answer_is_given_back_where_it_was_asked() -> None:
    """Ours: in the order in which it was asked, each answer to its own interrupt."""
    assert called(lambda: (interrupt("a"), interrupt("b")), said("a", 1), said("b", {"x": [2]})) == (1, {"x": [2]})
    with pytest.raises(CallInterrupted) as asked:
        called(lambda: (interrupt("a"), interrupt("b")), said("a", 1))
    assert asked.value.ask.name == "b"


def test_a_call_that_has_asked_asks_nothing_else() -> None:
    """Ours: an interrupt that the tool swallowed is still what the call waits for."""

    def tool() -> Any:  # noqa: ANN401 (it returns nothing)
        try:
            interrupt("first")
        except CallInterrupted:
            return interrupt("second")

    with pytest.raises(CallInterrupted) as asked:
        called(tool)
    assert asked.value.ask.name == "first"


@pytest.mark.requirement("PAUSE-interrupt")
@pytest.mark.parametrize("before", [said("other", 1), said("confirm", 1, payload={"cents": 6})])
def test_an_answer_to_something_else_grants_nothing(before: InterruptAnswered) -> None:
    """Promise 7: an answer is bound to what was asked, by its name and its exact payload."""
    with pytest.raises(StateError, match="same order"):
        called(lambda: interrupt("confirm", {"cents": 5}), before)


def test_an_answer_is_made_into_the_type_that_was_asked_for() -> None:
    """Ours: a type is as good as a schema, and the tool gets a value of it."""
    with pytest.raises(CallInterrupted) as asked:
        called(lambda: interrupt("size", None, Size))
    assert asked.value.ask.schema["required"] == ("width",)
    assert called(lambda: interrupt("size", None, Size), said("size", {"width": 3})) == Size(width=3)
    with pytest.raises(StateError, match="not of its type"):
        called(lambda: interrupt("size", None, Size), said("size", {"width": "wide"}))


def test_what_cannot_be_asked_is_refused_at_once() -> None:
    """Ours: outside of a call, without a name, and with a schema that nobody holds."""
    with pytest.raises(StateError, match="interrupts=True"):
        interrupt("confirm")
    with pytest.raises(StateError, match="name"):
        called(lambda: interrupt(""))
    with pytest.raises(StateError, match="pattern"):
        called(lambda: interrupt("confirm", None, {"pattern": "^a"}))
