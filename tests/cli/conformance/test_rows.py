"""The texts that clients are expected to have in the end, held against the agents themselves."""

from __future__ import annotations

import pytest

from tests.runtime.stores import virtually
from treadle.app.runner import Runner
from treadle.cli.conformance.cells import Act, Row
from treadle.cli.conformance.rows import ANSWER, REASON, ROWS, filled
from treadle.testing.scenarios import SCRIPTED_AGENTS
from treadle.values.pauses import Answer, Decision

PROMPT = "one 'two' three"
DECISIONS = {
    Act.ANSWER: {"decision": Decision.ANSWER, "value": ANSWER},
    Act.DISMISS: {"decision": Decision.CANCEL},
    Act.APPROVE: {"decision": Decision.APPROVE},
    Act.DENY: {"decision": Decision.DENY, "reason": REASON},
}


@pytest.mark.requirement("CONF-expected")
@pytest.mark.parametrize("row", [row for row, outcome in ROWS.items() if outcome.says is not None], ids=str)
@virtually
async def test_what_is_expected_of_clients_is_what_the_run_says(row: Row) -> None:
    """docs/matrix.md: the text of a client is compared to the character, so it is known to the character."""
    outcome = ROWS[row]
    (one,) = [one for one in SCRIPTED_AGENTS if one.name == row.agent]
    async with Runner([one.agent()], drain_s=0) as runner:
        run = await runner.start(one.name, PROMPT)
        view = await runner.wait(run.run_id)
        if said := DECISIONS.get(row.act):
            (pause,) = await runner.pauses(run.run_id)
            answer = Answer(interrupt_id=pause.interrupt_id, token=pause.token, **said)
            await runner.answer(run.run_id, [answer], principal="ann")
            view = await runner.wait(run.run_id)
    verdict = {"waiting": "paused"}.get(view.state, view.state)
    assert outcome.says is not None
    assert (verdict, view.text) == (outcome.verdict, filled(outcome.says, PROMPT))


def test_every_agent_has_a_row_and_every_act_is_tried() -> None:
    """Ours: what is not in the table is not tried."""
    assert {row.agent for row in ROWS} == {one.name for one in SCRIPTED_AGENTS}
    assert {row.act for row in ROWS} == set(Act)
