"""Starts of runs, whatever wire asks."""

from __future__ import annotations

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from tests.server.calls import JSON, ask
from treadle.app.server import Server
from treadle.server.access.admission import Caps


@virtually
async def test_one_key_is_one_run_and_counts_once() -> None:
    """Issue: start is idempotent by principal and key."""
    async with Server([scripted("gate: go\ntext: ok")], caps=Caps(live_runs=2)) as server:
        body = {"agent": "a", "prompt": "hi", "key": "k"}
        first = await ask(server.asgi, "POST", "/v1/runs", JSON, body=body)
        again = await ask(server.asgi, "POST", "/v1/runs", JSON, body=body)
        assert (first.status, again.status) == (201, 200)
        assert first.json["run_id"] == again.json["run_id"]
        assert server.metrics.runs_started.labels("a")._value.get() == 1  # noqa: SLF001 (read, not changed)


@pytest.mark.parametrize("key", ["k", None])
@virtually
async def test_a_run_that_is_over_takes_no_place(key: str | None) -> None:
    """Ours: a principal may have as many live runs as it may have, one after the other without end."""
    async with Server([scripted("text: ok")], caps=Caps(live_runs=1)) as server:
        for _ in range(3):
            body = {"agent": "a", "prompt": "hi", "key": key}
            call = await ask(server.asgi, "POST", "/v1/runs", JSON, body=body)
            await server.runner.wait(call.json["run_id"])
            assert call.status in (200, 201)
