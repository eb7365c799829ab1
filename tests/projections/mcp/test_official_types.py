"""The official types, on runs that could have happened: they refuse nothing that a call is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from tests.projections.legal_logs import Mix, legal_run
from tests.projections.mcp.calls import messages, payloads, telling
from tests.projections.python_clients import judged, python_with
from tests.projections.soaking import laps
from treadle.projections.mcp.wire import HANDSHAKE, MODERN
from treadle.values.events import CLOSING_TYPES
from treadle.values.exposure import OPAQUE, TEXT_ONLY, UI

PYTHON = python_with("mcp_types")
RUNS = 300
LAP = 1_000
ASKING = Mix(paused=1.0, waiting=4.0)
EXPOSURES = (UI, TEXT_ONLY, OPAQUE)
VERSIONS = (MODERN, *HANDSHAKE)

pytestmark = pytest.mark.skipif(
    PYTHON is None,
    reason="platform: the official client is not installed here (TREADLE_CLIENTS_PYTHON, or `treadle conformance mcp`)",
)


def calls_of(seed: int) -> list[dict[str, object]]:
    """What a run is told to calls: in each version, and in the newest to a call of each of its segments."""
    run = legal_run(seed, ASKING if seed % 2 else Mix())
    closings = [event.index for event in run.events if isinstance(event, CLOSING_TYPES)]
    told = [telling(version, can_ask=seed % 5 != 0) for version in VERSIONS]
    told += [telling(after=after) for after in closings[:-1]]
    exposure = EXPOSURES[seed % len(EXPOSURES)]
    return [{"version": one.version, "messages": payloads(run.stretches, one, exposure)} for one in told]


def asked(seeds: Iterable[int]) -> Counter[str]:
    """Ask the types about runs, in one process; what kinds of messages they saw."""
    assert PYTHON is not None
    calls = [(seed, call) for seed in seeds for call in calls_of(seed)]
    verdicts = judged("verify_mcp.py", PYTHON, [call for _, call in calls])
    wrong = [(seed, one["refused"]) for (seed, _), one in zip(calls, verdicts, strict=True) if one["refused"]]
    assert not wrong, f"{len(wrong)} of {len(calls)} calls: {wrong[:3]}"
    return Counter(kind for one in verdicts for kind in one["kinds"])


@pytest.mark.slow
@pytest.mark.requirement("MCP-official")
def test_they_take_every_message_of_every_call() -> None:
    """Promise: strict clients accept every stream (the client's own types, by version)."""
    kinds = asked(range(RUNS))
    assert set(kinds) == {
        "notifications/progress",
        "notifications/cancelled",
        "elicitation/create",
        "input_required",
        "complete",
    }
    assert min(kinds.values()) >= RUNS // 15


@pytest.mark.slow
@pytest.mark.requirement("MCP-official")
def test_they_refuse_what_is_broken() -> None:
    """Ours: a judge that lets everything pass is none."""
    assert PYTHON is not None
    result = messages(legal_run(1).stretches, telling())[-1]
    unlabelled = {**result, "result": {**result["result"], "resultType": None}}
    form = '{"jsonrpc":"2.0","id":"t","method":"elicitation/create","params":{"mode":"form","message":"m",%s}}'
    nested = '"requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}'
    broken = [
        (MODERN, form % nested),
        ("2025-11-25", form % nested),
        ("2025-03-26", form % '"requestedSchema":{"type":"object","properties":{}}'),
        (MODERN, str(unlabelled).replace("'", '"').replace("None", "null").replace("True", "true")),
        (MODERN, '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}'),
        (MODERN, '{"id":1}'),
    ]
    verdicts = judged("verify_mcp.py", PYTHON, [{"version": one, "messages": [text]} for one, text in broken])
    assert [one["refused"] is None for one in verdicts] == [False] * len(broken)


@pytest.mark.soak
@pytest.mark.requirement("MCP-official")
def test_they_take_ten_thousand_runs() -> None:
    """Promise: strict clients accept every stream, over generated runs (TREADLE_SOAK_SEED draws others)."""
    for seeds in laps(LAP):
        asked(seeds)
