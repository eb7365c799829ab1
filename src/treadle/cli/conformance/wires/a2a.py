"""A2A: both official SDKs, over both bindings, in both versions of the protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from treadle.cli.conformance.cells import Absent, Act, Client, Doing, Needs, Outcome, Row, Wire
from treadle.cli.conformance.rows import ANSWER
from treadle.cli.conformance.wires.a2a_control import CONTROL
from treadle.cli.conformance.wires.probing import prober

_URL: Final = "{url}/a2a/{agent}"
_DECIDED_ELSEWHERE: Final = Absent(
    reason="a caller is not shown what its agent's tools do, and so decides nothing about them: `auth-required`"
)
_ACTS: Final[Mapping[Act | Row, Doing | Absent]] = {
    Act.COME_BACK: Doing(words=("--drop-after", "5")),
    Act.COME_LATE: Absent(reason="`SubscribeToTask` of a task that is over is refused, as the protocol has it"),
    Act.DISMISS: Absent(reason="the protocol has no word for it"),
    Act.APPROVE: _DECIDED_ELSEWHERE,
    Act.DENY: _DECIDED_ELSEWHERE,
    Act.STOP: Doing(is_stopped=True),
    Act.OWN_STOP: Doing(words=("--cancel-after", "5")),
}


def _client(name: str, *words: str, is_python: bool) -> Client:
    answer = ("--reply-data", json.dumps(ANSWER)) if is_python else ("--reply", ANSWER["q1"])
    return Client(
        name=name,
        package="a2a-sdk" if is_python else "@a2a-js/sdk",
        script="a2a_client.py" if is_python else "a2a_client.mjs",
        address=_URL,
        words=("--message", "{prompt}", *words),
        needs=Needs.PYTHON if is_python else Needs.NODE,
        acts={**_ACTS, Act.ANSWER: Doing(words=answer)},
    )


PROBE: Final = prober(
    _URL,
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "SendStreamingMessage",
        "params": {"message": {"messageId": "{key}", "role": "ROLE_USER", "parts": [{"text": "{prompt}"}]}},
    },
    whose="a2a",
    headers=("A2A-Version: 1.0",),
)

WIRE: Final = Wire(
    name="a2a",
    clients=(
        _client("Python, JSON-RPC", "--binding", "JSONRPC", is_python=True),
        _client("Python, REST", "--binding", "HTTP+JSON", is_python=True),
        _client("JavaScript, JSON-RPC", "--binding", "JSONRPC", is_python=False),
        _client("JavaScript, REST", "--binding", "HTTP+JSON", is_python=False),
        _client("Python, JSON-RPC, 0.3", "--binding", "JSONRPC", "--protocol", "0.3", is_python=True),
        _client("Python, REST, 0.3", "--binding", "HTTP+JSON", "--protocol", "0.3", is_python=True),
        _client("JavaScript, JSON-RPC, 0.3", "--binding", "JSONRPC", "--protocol", "0.3", "--legacy", is_python=False),
        # This layer of the SDK loses `append`, so it puts no artifact together and cannot be asked for its text.
        replace(
            _client(
                "JavaScript, REST, 0.3", "--binding", "HTTP+JSON", "--protocol", "0.3", "--legacy", is_python=False
            ),
            differs={Row("retraction"): Outcome(verdict="done")},
        ),
        PROBE,
    ),
    control=CONTROL,
)
