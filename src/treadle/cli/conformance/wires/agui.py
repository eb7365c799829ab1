"""AG-UI: the agent class that its front ends are built on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from treadle.cli.conformance.cells import Absent, Act, Client, Doing, Needs, Wire
from treadle.cli.conformance.rows import ANSWER, REASON
from treadle.cli.conformance.wires.probing import prober

_URL: Final = "{url}/agui/{agent}"

AGENT: Final = Client(
    name="HttpAgent",
    package="@ag-ui/client",
    script="agui_client.mjs",
    address=_URL,
    words=("--message", "{prompt}", "--thread", "{key}"),
    needs=Needs.NODE,
    acts={
        # It has no reconnect: who comes back posts the same run again, from a page that has seen nothing of it.
        Act.COME_BACK: Doing(before=("--run-id", "{key}-r", "--abort-after", "5"), words=("--run-id", "{key}-r")),
        Act.COME_LATE: Absent(reason="a post is always answered: that of a run which is over, with all of it"),
        Act.ANSWER: Doing(words=("--answer", json.dumps(ANSWER))),
        Act.DISMISS: Doing(words=("--cancel-interrupts",)),
        Act.APPROVE: Doing(words=("--answer", json.dumps({"approved": True}))),
        Act.DENY: Doing(words=("--answer", json.dumps({"approved": False, "reason": REASON}))),
        Act.STOP: Doing(is_stopped=True),
        Act.OWN_STOP: Doing(words=("--abort-after", "5")),
    },
)

# The server has no binary form: a client that asks for one is given events, and reads them as well.
BINARY: Final = replace(
    AGENT,
    name="HttpAgent, asks for protobuf",
    words=(*AGENT.words, "--binary"),
    acts=dict.fromkeys(Act, Absent(reason="tried without asking for protobuf")),
)

PROBE: Final = prober(
    _URL,
    {
        "threadId": "{key}",
        "runId": "{key}-r",
        "messages": [{"id": "u", "role": "user", "content": "{prompt}"}],
        "tools": [],
        "context": [],
        "state": {},
        "forwardedProps": {},
    },
    whose="ag-ui",
)

WIRE: Final = Wire(name="agui", clients=(AGENT, BINARY, PROBE))
