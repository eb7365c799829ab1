"""What the server counts."""

from __future__ import annotations

import re

from prometheus_client.parser import text_string_to_metric_families

from tests.runtime.agents import scripted
from tests.runtime.stores import GATED, virtually
from tests.server.calls import Call, ask, started
from treadle.app.server import Server
from treadle.server.pulse import Rhythm


def counted(text: str) -> dict[str, float]:
    """The samples of a scrape, without the times at which counting began."""
    lines = [line for line in text.splitlines() if line.startswith("treadle_") and "_created" not in line]
    return {name: float(number) for name, number in (line.rsplit(" ", 1) for line in lines)}


@virtually
async def test_runs_streams_tokens_and_refusals_are_counted() -> None:
    """Issue: `/metrics`."""
    async with Server([scripted("text: ok\nusage: 30 12")]) as server:
        run_id = await started(server.asgi)
        await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events")
        await ask(server.asgi, "GET", "/v1/runs/none")
        await ask(server.asgi, "GET", "/nowhere")
        scraped = await ask(server.asgi, "GET", "/metrics")
    assert scraped.headers["content-type"].startswith("text/plain; version=")
    assert counted(scraped.body.decode()) == {
        'treadle_runs_started_total{agent="a"}': 1,
        'treadle_runs_ended_total{state="done"}': 1,
        'treadle_tokens_total{count="input_tokens"}': 30,
        'treadle_tokens_total{count="output_tokens"}': 12,
        'treadle_streams_ended_total{ending="read"}': 1,
        'treadle_refusals_total{code="run_not_found"}': 1,
        'treadle_refusals_total{code="not_found"}': 1,
        "treadle_readers": 0,
        "treadle_live_runs": 0,
    }


@virtually
async def test_names_follow_the_conventions_of_prometheus() -> None:
    """Prometheus: one prefix, base words, `_total` for what only grows; and a scrape that its own parser reads."""
    async with Server([scripted("text: ok\nusage: 30 12")]) as server:
        await ask(server.asgi, "GET", f"/v1/runs/{await started(server.asgi)}/events")
        await ask(server.asgi, "GET", "/nowhere")
        scraped = await ask(server.asgi, "GET", "/metrics")
    families = {family.name: family for family in text_string_to_metric_families(scraped.body.decode())}
    kinds = {name: family.type for name, family in families.items() if not name.endswith("_created")}
    assert {name for name, kind in kinds.items() if kind == "gauge"} == {"treadle_readers", "treadle_live_runs"}
    assert set(kinds.values()) == {"gauge", "counter"}
    for name, kind in kinds.items():
        assert re.fullmatch(r"treadle(_[a-z]+)+", name)
        assert families[name].documentation.endswith(".")
        samples = {sample.name for sample in families[name].samples} - {f"{name}_created"}
        assert samples <= ({f"{name}_total"} if kind == "counter" else {name})


@virtually
async def test_what_is_open_now_is_told_now() -> None:
    """Ours: gauges look when they are asked."""
    async with Server([scripted(GATED)], rhythm=Rhythm(drain_s=0)) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            told = counted((await ask(server.asgi, "GET", "/metrics")).body.decode())
    assert (told["treadle_readers"], told["treadle_live_runs"]) == (1, 1)


@virtually
async def test_two_servers_of_one_process_do_not_mix() -> None:
    """Ours: a registry each."""
    async with Server([scripted("text: ok")]) as one, Server([scripted("text: ok")]) as other:
        await started(one.asgi)
        told = counted((await ask(other.asgi, "GET", "/metrics")).body.decode())
    assert "treadle_runs_started_total" not in "".join(told)
