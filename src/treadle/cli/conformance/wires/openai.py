"""The OpenAI-compatible routes: chat completions and Responses, by the official client."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from treadle.cli.conformance.cells import Absent, Act, Client, Doing, Needs, Outcome, Row, Wire
from treadle.cli.conformance.rows import ANSWER, REASON, ROWS
from treadle.cli.conformance.wires.probing import prober

_URL: Final = "{url}/openai/v1"
_WORDS: Final = ("--model", "{agent}", "--message", "{prompt}")
_ENDED: Final = Outcome(verdict="error")
_SEGMENTS: Final = {
    row: replace(outcome, says=outcome.says.removeprefix(str(ROWS[Row(row.agent)].says)))
    for row, outcome in ROWS.items()
    if row.act in {Act.ANSWER, Act.APPROVE, Act.DENY} and outcome.says is not None
}
"""A response is a segment: what was said before an answer stands in the response before."""
_ONCE: Final = Absent(reason="a completion has no coming back")
_NO_DISMISSING: Final = Absent(reason="the API has no word for it")

CHAT: Final = Client(
    name="chat.completions",
    package="openai",
    script="openai_client.py",
    address=_URL,
    words=("--api", "chat", *_WORDS),
    needs=Needs.PYTHON,
    acts={
        Act.COME_BACK: _ONCE,
        Act.COME_LATE: _ONCE,
        Act.ANSWER: Doing(words=("--answer", json.dumps(ANSWER))),
        Act.DISMISS: _NO_DISMISSING,
        Act.APPROVE: Doing(words=("--answer", json.dumps({"decision": "approve"}))),
        Act.DENY: Doing(words=("--answer", json.dumps({"decision": "deny", "reason": REASON}))),
        Act.STOP: Doing(is_stopped=True),
        Act.OWN_STOP: Absent(reason="a completion has no stop: its client leaves"),
    },
    # The protocol has no end of its own for a run that was stopped.
    differs={**_SEGMENTS, Row("retraction"): _ENDED, Row("cancel", Act.STOP): _ENDED},
)

RESPONSES: Final = Client(
    name="responses",
    package="openai",
    script="openai_client.py",
    address=_URL,
    words=("--api", "responses", *_WORDS),
    needs=Needs.PYTHON,
    acts={
        Act.COME_BACK: Doing(words=("--drop-after", "5")),
        Act.COME_LATE: Absent(reason="a response that is over is told again, whole"),
        Act.ANSWER: Doing(words=("--answer", json.dumps(ANSWER))),
        Act.DISMISS: _NO_DISMISSING,
        Act.APPROVE: Doing(words=("--answer", "yes")),
        Act.DENY: Doing(words=("--answer", "no", "--deny", "--reason", REASON)),
        Act.STOP: Doing(is_stopped=True),
        Act.OWN_STOP: Doing(words=("--cancel-after", "5")),
    },
    differs={**_SEGMENTS, Row("retraction"): _ENDED, Row("retraction", Act.COME_BACK): _ENDED},
)

_WHOLE: Final = Absent(reason="it asks once and is answered once")
CHAT_WHOLE, RESPONSES_WHOLE = (
    replace(
        one,
        name=f"{one.name}, not streamed",
        words=(*one.words, "--no-stream"),
        acts={**dict.fromkeys(Act, _WHOLE), Act.STOP: Doing(is_stopped=True)},
        # Nothing is shown that could be taken back, and of a run that failed nothing but that.
        differs={
            **{row: outcome for row, outcome in one.differs.items() if row.agent != "retraction"},
            Row("error"): _ENDED,
            Row("provider_cut"): _ENDED,
        },
    )
    for one in (CHAT, RESPONSES)
)

_ASKED: Final = {"model": "{agent}", "stream": True}
_MESSAGES: Final = [{"role": "user", "content": "{prompt}"}]

WIRE: Final = Wire(
    name="openai",
    clients=(
        CHAT,
        RESPONSES,
        CHAT_WHOLE,
        RESPONSES_WHOLE,
        prober(f"{_URL}/chat/completions", {**_ASKED, "messages": _MESSAGES}, whose="openai", name="sse_probe, chat"),
        # The terminal event is the end of this stream: it has no `[DONE]`.
        prober(f"{_URL}/responses", {**_ASKED, "input": "{prompt}"}, whose="any", name="sse_probe, responses"),
    ),
)
