"""MCP: an agent as a tool of the official SDK's client, in both eras of the protocol."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from treadle.cli.conformance.cells import Absent, Act, Client, Doing, Needs, Outcome, Row, Wire
from treadle.cli.conformance.rows import ANSWER, REASON, ROWS
from treadle.codec.failure_words import failure_words

_ALONE: Final = Absent(reason="to close the response of a call is to stop it: it is made again")
_IN_SESSION: Final = Absent(reason="where a connection breaks the client comes back by itself; it breaks none")


def _failed(row: Row, code: str) -> Outcome:
    """A failure is a text of the result, behind what was said."""
    return replace(ROWS[row], says=f"{ROWS[row].says}{code}: {failure_words(code)}")


def _declined(row: Row, says: str) -> Outcome:
    """The client asks its user in the midst of the call; nobody is there, and it declines."""
    return Outcome(verdict="done", says=f"{ROWS[row].says}{says}")


_DIFFERS: Final = {
    Row("ask_user"): _declined(Row("ask_user"), "No colour: denied by a person."),
    Row("approval"): _declined(Row("approval"), "It is not published, denied by a person."),
    # A call has a result or an error, and no third end.
    Row("cancel", Act.STOP): Outcome(verdict="error"),
    Row("error"): _failed(Row("error"), "upstream_error"),
    Row("provider_cut"): _failed(Row("provider_cut"), "upstream_truncated"),
}


def _client(name: str, mode: str, *, coming_back: Absent) -> Client:
    return Client(
        name=name,
        package="mcp",
        script="mcp_client.py",
        address="{url}/mcp/{agent}",
        words=("--mode", mode, "--tool", "{agent}", "--args", json.dumps({"prompt": "{prompt}"})),
        needs=Needs.PYTHON,
        acts={
            Act.COME_BACK: coming_back,
            Act.COME_LATE: coming_back,
            Act.ANSWER: Doing(words=("--answer", json.dumps(ANSWER))),
            Act.DISMISS: Doing(words=("--dismiss",)),
            Act.APPROVE: Doing(words=("--answer", json.dumps({"approved": True}))),
            Act.DENY: Doing(words=("--answer", json.dumps({"approved": False, "reason": REASON}))),
            Act.STOP: Doing(is_stopped=True),
            Act.OWN_STOP: Doing(words=("--cancel-after", "2")),
        },
        differs=_DIFFERS,
    )


WIRE: Final = Wire(
    name="mcp",
    clients=(
        _client("2026-07-28", "2026-07-28", coming_back=_ALONE),
        _client("2025-11-25", "legacy", coming_back=_IN_SESSION),
    ),
)
