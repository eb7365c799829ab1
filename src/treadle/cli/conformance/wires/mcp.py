"""MCP: an agent as a tool of the official SDK's client, in both eras of the protocol."""

from __future__ import annotations

import json
from typing import Final

from treadle.cli.conformance.cells import Absent, Act, Client, Doing, Needs, Wire
from treadle.cli.conformance.rows import ANSWER, REASON

_ONE_CALL: Final = Absent(reason="a call is one request; its client sends it again")


def _client(name: str, mode: str) -> Client:
    return Client(
        name=name,
        package="mcp",
        script="mcp_client.py",
        address="{url}/mcp/{agent}",
        words=("--mode", mode, "--tool", "{agent}", "--args", json.dumps({"prompt": "{prompt}"})),
        needs=Needs.PYTHON,
        acts={
            Act.COME_BACK: _ONE_CALL,
            Act.COME_LATE: _ONE_CALL,
            Act.ANSWER: Doing(words=("--answer", json.dumps(ANSWER))),
            Act.DISMISS: Doing(),
            Act.APPROVE: Doing(words=("--answer", json.dumps({"approved": True}))),
            Act.DENY: Doing(words=("--answer", json.dumps({"approved": False, "reason": REASON}))),
            Act.STOP: Doing(is_stopped=True),
            Act.OWN_STOP: Doing(words=("--cancel-after", "2")),
        },
    )


WIRE: Final = Wire(name="mcp", clients=(_client("2026-07-28", "2026-07-28"), _client("2025-11-25", "legacy")))
