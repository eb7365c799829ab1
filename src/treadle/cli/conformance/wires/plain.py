"""Kernel events over SSE: a reader of the standard library, and the probe that looks at every byte."""

from __future__ import annotations

import json
from typing import Final

from treadle.cli.conformance.cells import Act, Client, Doing, Needs, Outcome, Wire
from treadle.cli.conformance.rows import ANSWER, REASON, ROWS
from treadle.cli.conformance.wires.probing import ONLY_READS

READER: Final = Client(
    name="plain_client",
    script="plain_client.py",
    address="{url}",
    words=("--agent", "{agent}", "--message", "{prompt}"),
    needs=Needs.NOTHING,
    acts={
        Act.COME_BACK: Doing(words=("--drop-after", "5")),
        Act.COME_LATE: Doing(words=("--again",)),
        Act.ANSWER: Doing(words=("--answer", json.dumps(ANSWER))),
        Act.DISMISS: Doing(words=("--dismiss",)),
        Act.APPROVE: Doing(words=("--approve",)),
        Act.DENY: Doing(words=("--deny", "--reason", REASON)),
        Act.STOP: Doing(is_stopped=True),
        Act.OWN_STOP: Doing(words=("--cancel-after", "5")),
    },
)

PROBE: Final = Client(
    name="sse_probe",
    script="sse_probe.py",
    address="{url}/v1/runs/{run}/events",
    words=("--for", "any"),
    needs=Needs.NOTHING,
    starts=True,
    acts={
        **dict.fromkeys(Act, ONLY_READS),
        Act.COME_BACK: Doing(words=("--reconnect-after", "5")),
        Act.STOP: Doing(is_stopped=True),
    },
    differs={row: Outcome(verdict="done") for row in ROWS},
)

WIRE: Final = Wire(name="plain", clients=(READER, PROBE))
