"""What a caller asked, as a short text that says whether two starts are the same."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from treadle.codec.entry_forms import ATTACHMENT
from treadle.codec.forms import JSON, TEXT, many, stored_bytes
from treadle.values.ids import ThreadId
from treadle.values.requests import TurnRequest

TRACEPARENT: Final = "traceparent"
"""The property that names the span of the caller."""


def request_digest(request: TurnRequest, *, agent: str, thread_id: ThreadId) -> str:
    """Sha-256, in hex, of agent, prompt, attachments, thread and properties but `traceparent`.

    Ids that were made for the run do not count, nor the history, which a thread's earlier runs decide. `thread_id` is
    the thread that the caller named, `NO_THREAD` where it named none. The order of a mapping's keys does not count.
    """
    # A repeated start comes from another span of the caller: it is the same request all the same.
    asked = {name: value for name, value in request.properties.items() if name != TRACEPARENT}
    terms = {
        "agent": TEXT.dump(agent),
        "prompt": TEXT.dump(request.prompt),
        "attachments": many(ATTACHMENT).dump(request.attachments),
        "thread_id": TEXT.dump(thread_id),
        "properties": JSON.dump(asked),
    }
    return sha256(stored_bytes(terms, order="sorted")).hexdigest()
