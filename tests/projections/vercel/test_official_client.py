"""The AI SDK's own chunk schema and message reducer take runs that could have happened, and hold what the log says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from tests.projections.legal_logs import LegalRun, legal_run
from tests.projections.node_clients import folder_with, judged
from tests.projections.soaking import laps
from tests.projections.vercel.held import OPTIONS, folded, held, leave, lived, replayed
from treadle.values import events as ev

CLIENTS = folder_with("ai")
RUNS = 500
LAP = 1_000
SCRIPT = "verify_vercel.mjs"

pytestmark = pytest.mark.skipif(
    CLIENTS is None,
    reason="platform: the official client is not installed here (TREADLE_CLIENTS, or `treadle conformance vercel`)",
)


def chunks(payloads: list[str]) -> list[str]:
    """Without the mark at the end, which is none."""
    assert payloads[-1] == "[DONE]"
    return payloads[:-1]


def told(run: LegalRun) -> list[dict[str, Any]]:
    """A run as it is told to a page that comes late, and to one that lives through it and answers."""
    options = lived(run.events, replace(OPTIONS, resets=True))
    return [
        {"responses": [chunks(replayed(run.stretches))]},
        {"responses": [chunks(folded(run.stretches, one)) for one in options], "leave": leave(run.events)},
    ]


def problems(run: LegalRun, verdict: Any) -> list[str]:  # noqa: ANN401 (JSON of any form)
    """Where what the client holds is not what the log says."""
    wanted = held(run.events)
    found = {
        "violations": (verdict["violations"], []),
        "message": (verdict["id"], run.run_id),
        "text": (verdict["text"], wanted.text),
        "ending": (verdict["ending"], wanted.ending),
        "state": (verdict["metadata"]["state"], "paused" if isinstance(run.end, ev.PAUSE_TYPES) else run.end.kind),
        "posts by itself": (verdict["sends"], False),
    }
    for call_id, content in wanted.tools.items():
        part = verdict["tools"].get(call_id, {})
        if call_id in wanted.failed:
            found[call_id] = (part.get("state") in ("output-error", "output-denied"), True)
        else:
            found[call_id] = ((part.get("state"), part.get("output")), ("output-available", as_json(content)))
    return [f"{name}: {came!r:.300} is not {due!r:.300}" for name, (came, due) in found.items() if came != due]


def as_json(content: Any) -> Any:  # noqa: ANN401 (any JSON)
    """JSON terms as a JSON reader gives them."""
    if isinstance(content, dict):
        return {name: as_json(value) for name, value in content.items()}
    return [as_json(value) for value in content] if isinstance(content, list | tuple) else content


def asked(seeds: Iterable[int]) -> Counter[str]:
    """Ask the client about runs, in one process; how they ended for it."""
    assert CLIENTS is not None
    cases = [(run, case) for run in map(legal_run, seeds) for case in told(run)]
    verdicts = judged(SCRIPT, CLIENTS, [case for _, case in cases])
    wrong = {}
    for (run, case), verdict in zip(cases, verdicts, strict=True):
        if found := problems(run, verdict):
            wrong[f"seed {run.seed}, {len(case['responses'])} responses"] = found
    assert not wrong, f"{len(wrong)} of {len(cases)} messages: " + json.dumps(dict(list(wrong.items())[:3]), indent=2)
    return Counter(f"{verdict['ending']} {verdict['metadata']['state']}" for verdict in verdicts)


@pytest.mark.slow
@pytest.mark.requirement("VERCEL-official")
def test_it_takes_every_run_and_holds_what_the_log_says() -> None:
    """Promise: strict clients accept every stream, over generated runs."""
    endings = asked(range(RUNS))
    assert min(endings[one] for one in ("finish done", "error error", "abort cancelled", "finish paused")) >= RUNS // 10


@pytest.mark.slow
@pytest.mark.requirement("VERCEL-official")
def test_it_refuses_what_is_broken() -> None:
    """Ours: a judge that lets everything pass is none."""
    assert CLIENTS is not None
    run = next(run for run in map(legal_run, range(RUNS)) if isinstance(run.end, ev.Done) and run.end.outcome.text)
    whole = chunks(replayed(run.stretches))
    broken = {
        "schema": ['{"type":"start","messageId":null}', *whole[1:]],
        "schema, too": [*whole[:-1], '{"type":"finish","finishReason":"because"}'],
        "order": [one for one in whole if '"type":"text-start"' not in one],
        "unclosed": [one for one in whole if '"type":"text-end"' not in one],
        "no-end": whole[:-1],
        "after-the-end": [*whole, whole[1]],
        "steps": [one for one in whole if '"type":"finish-step"' not in one] + [whole[-1]],
    }
    verdicts = judged(SCRIPT, CLIENTS, broken.values())
    for name, verdict in zip(broken, verdicts, strict=True):
        assert name.partition(",")[0] in {violation["rule"] for violation in verdict["violations"]}, name


@pytest.mark.soak
@pytest.mark.requirement("VERCEL-official")
def test_it_takes_ten_thousand_runs() -> None:
    """Promise: strict clients accept every stream, over generated runs (TREADLE_SOAK_SEED draws others)."""
    for seeds in laps(LAP):
        asked(seeds)
