"""The columns of MCP."""

from __future__ import annotations

import json

from tests.runtime.stores import virtually
from treadle.app.runner import Runner
from treadle.cli.conformance.cells import Act, Doing, Outcome, Row
from treadle.cli.conformance.rows import ROWS, filled
from treadle.cli.conformance.wires.mcp import WIRE
from treadle.projections.mcp.forms import APPROVED, REASON
from treadle.testing.scenarios import SCRIPTED_AGENTS
from treadle.values.pauses import Answer, Decision


def test_both_eras_are_tried() -> None:
    """Design: both eras of MCP are spoken."""
    assert [(client.name, client.words[1]) for client in WIRE.clients] == [
        ("2026-07-28", "2026-07-28"),
        ("2025-11-25", "legacy"),
    ]


def test_the_fields_that_a_client_fills_in_are_those_of_the_form() -> None:
    """docs/protocols/mcp.md: leave is a boolean, and why not."""
    for client in WIRE.clients:
        doing = client.acts[Act.DENY]
        assert isinstance(doing, Doing)
        assert set(json.loads(doing.words[1])) == {APPROVED, REASON}


@virtually
async def test_a_client_whose_user_is_not_there_declines() -> None:
    """docs/matrix.md: the text of a client is compared to the character, so it is known to the character."""
    for name in ("ask_user", "approval"):
        wanted = WIRE.clients[0].differs[Row(name)]
        assert isinstance(wanted, Outcome)
        (one,) = [one for one in SCRIPTED_AGENTS if one.name == name]
        async with Runner([one.agent()], drain_s=0) as runner:
            run = await runner.start(name, "hello")
            await runner.wait(run.run_id)
            (pause,) = await runner.pauses(run.run_id)
            no = Answer(interrupt_id=pause.interrupt_id, token=pause.token, decision=Decision.DENY)
            await runner.answer(run.run_id, [no], principal="ann")
            view = await runner.wait(run.run_id)
        assert (view.state, view.text) == (wanted.verdict, filled(str(wanted.says), "hello"))
        assert str(wanted.says).startswith(str(ROWS[Row(name)].says))
