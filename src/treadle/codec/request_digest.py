"""What a caller asked, as a short text that says whether two starts are the same."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from treadle.codec.entry_forms import ATTACHMENT
from treadle.codec.forms import JSON, TEXT, many, stored_bytes
from treadle.values.ids import ThreadId
from treadle.values.requests import HistoryMessage, TurnRequest, UserMessage

TRACEPARENT: Final = "traceparent"
"""The property that names the span of the caller."""
_ATTACHMENTS: Final = many(ATTACHMENT)


def request_digest(request: TurnRequest, *, agent: str, thread_id: ThreadId) -> str:
    """Sha-256, in hex, of agent, prompt, attachments, thread, properties but `traceparent`, and the history brought.

    Ids that were made for the run do not count. `thread_id` is the thread that the caller named, `NO_THREAD` where it
    named none. The order of a mapping's keys does not count.

    Shape:  the history of the request is text alone, as whoever starts a run has checked. Without one, the digest is
            that of a request which has no such field.
    """
    # A repeated start comes from another span of the caller: it is the same request all the same.
    asked = {name: value for name, value in request.properties.items() if name != TRACEPARENT}
    terms = {
        "agent": TEXT.dump(agent),
        "prompt": TEXT.dump(request.prompt),
        "attachments": _ATTACHMENTS.dump(request.attachments),
        "thread_id": TEXT.dump(thread_id),
        "properties": JSON.dump(asked) if asked else asked,
    }
    if request.history:
        terms["history"] = JSON.dump([_brought(message) for message in request.history])
    return sha256(stored_bytes(terms, order="sorted")).hexdigest()


def _brought(message: HistoryMessage) -> list[str]:
    return ["user", message.text] if isinstance(message, UserMessage) else ["turn", message.turn.text]
