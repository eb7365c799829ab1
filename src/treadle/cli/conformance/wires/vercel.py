"""The UI message stream of the AI SDK: the engine of `useChat`, and its reader without a chat."""

from __future__ import annotations

import json
from typing import Final

from treadle.cli.conformance.cells import Absent, Act, Client, Doing, Needs, Outcome, Row, Wire
from treadle.cli.conformance.rows import ANSWER, REASON
from treadle.cli.conformance.wires.probing import prober

_URL: Final = "{url}/vercel/{agent}"
_READS: Final = Absent(reason="`readUIMessageStream` only reads")
_ENDED: Final = Outcome(verdict="error")
"""What was shown cannot be taken back on this wire: its response ends, and the run goes on."""

CHAT: Final = Client(
    name="AbstractChat",
    package="ai",
    script="vercel_client.mjs",
    address=_URL,
    words=("--message", "{prompt}", "--chat", "{key}"),
    needs=Needs.NODE,
    acts={
        Act.COME_BACK: Doing(words=("--drop-after", "5")),
        # Its response ends where something is taken back; who comes back is told what stands.
        Row("retraction", Act.COME_BACK): Doing(before=(), words=("--resume",)),
        Act.COME_LATE: Doing(before=(), words=("--resume",)),
        Act.ANSWER: Doing(words=("--answer", json.dumps(ANSWER))),
        Act.DISMISS: Absent(reason="the chat engine has no word for it"),
        Act.APPROVE: Doing(words=("--approve",)),
        Act.DENY: Doing(words=("--deny", "--reason", REASON)),
        Act.STOP: Doing(is_stopped=True),
        Act.OWN_STOP: Doing(words=("--stop-after", "5")),
    },
    differs={Row("retraction"): _ENDED},
)

READER: Final = Client(
    name="readUIMessageStream",
    package="ai",
    script="vercel_client.mjs",
    address=_URL,
    words=("--message", "{prompt}", "--chat", "{key}", "--reader"),
    needs=Needs.NODE,
    acts={**dict.fromkeys(Act, _READS), Act.STOP: Doing(is_stopped=True)},
    differs={Row("retraction"): _ENDED},
)

PROBE: Final = prober(
    _URL,
    {
        "id": "{key}",
        "trigger": "submit-message",
        "messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "{prompt}"}]}],
    },
    whose="ai-sdk",
)

WIRE: Final = Wire(name="vercel", clients=(CHAT, READER, PROBE))
