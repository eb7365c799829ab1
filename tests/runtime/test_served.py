"""An agent as a worker knows it."""

from __future__ import annotations

from dataclasses import replace

from tests.runtime.agents import add, scripted
from tests.runtime.test_thread_history import Sealing
from treadle.plan.tools import tool


@tool(idempotent=True)
async def look() -> str:
    """Look."""
    return "seen"


def test_tools_that_may_run_again_are_known_by_name() -> None:
    """Design §6: declared, never guessed."""
    assert scripted("text: ok", tools=[add, look]).served().idempotent == {"look"}


def test_a_payload_is_stored_by_the_rule_of_its_model_or_as_it_is() -> None:
    """Design §4: through that adapter's own `dump` and `load`."""
    plain = scripted("text: ok").served()
    assert plain.load_payload(plain.dump_payload({"seal": 1})) == {"seal": 1}
    sealing = replace(plain, model=Sealing())
    assert sealing.dump_payload("s1") == {"seal": "s1"}
    assert sealing.load_payload({"seal": "s1"}) == "s1"
