"""Scripts built step by step, for tests."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from treadle.adapters.models.scripted.steps import Called, Fault, FaultKind, Gate, Quiet, Said
from treadle.errors import PlanError
from treadle.ports.model import ModelRequest
from treadle.testing.scripts import (
    call,
    escaped,
    fault,
    finish,
    gate,
    parse_script,
    quiet,
    scripted,
    text,
    think,
    turn,
    usage,
)
from treadle.values.model import TEXT, THINKING
from treadle.values.requests import PromptAssembly


def test_what_is_built_is_what_is_written() -> None:
    """Two ways to one script (ours)."""
    built = (
        turn(
            think("Let me add."),
            text("Let me ", " see."),
            call("add", {"a": 1, "b": [2]}, provider_id="c1", cut=3),
            usage(10, 5, cache_read_tokens=2),
            finish("tool_calls"),
        ),
        turn(quiet(), gate("go"), fault("busy", retry_after_s=2.0, status=429), again=((text("done"),),)),
        turn(call("bad", "{"), fault("eof")),
    )
    assert built == parse_script(
        """
        think: Let me add.
        text: Let me | see.
        call: add id=c1 cut=3 {"a":1,"b":[2]}
        usage: 10 5 cached=2
        finish: tool_calls
        ---
        quiet
        gate: go
        error: busy retry_after=2 status=429
        --- again
        text: done
        ---
        call: bad {
        eof
        """.replace("        ", "")
    )


def test_steps_that_no_model_can_say_are_refused() -> None:
    """When they are built, not when they are played (ours)."""
    for make in (text, lambda: finish("soon"), lambda: fault("odd"), lambda: call("")):
        with pytest.raises(ValueError, match=r"."):
            make()
    assert (think("a"), quiet(), gate("g")) == (Said(kind=THINKING, pieces=("a",)), Quiet(), Gate(name="g"))
    assert (call("f"), fault("raise", "x")) == (Called(name="f"), Fault(kind=FaultKind.RAISE, words="x"))


async def test_a_model_is_made_of_a_script_or_of_turns() -> None:
    """As a test writes it best (ours)."""
    for model in (scripted("text: a"), scripted(turn(text("a"))), scripted(f"text: {escaped('a')}", turn(text("b")))):
        async with aclosing(model.ask(ModelRequest(prompt=PromptAssembly(prompt="hello")))) as stream:
            assert await anext(stream) == [(TEXT, "a")]
    with pytest.raises(PlanError):
        scripted("sing: la")
