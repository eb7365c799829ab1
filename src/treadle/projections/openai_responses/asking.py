"""A pause as an output item, with the events of it: a request for approval, or a call of a function.

In: a pause and its token. Out: the item, which is whole at once, and its events.
"""

from __future__ import annotations

from treadle.projections.openai_responses.frames import Frames
from treadle.projections.openai_responses.wire import Item, approval_item, question_item
from treadle.values.mappings import Json
from treadle.values.pauses import PauseKind, PendingInterrupt


def asked(pending: PendingInterrupt, token: str, frames: Frames, *, server: str, at: int) -> tuple[Item, list[str]]:
    """A pause as the item at a place."""
    if pending.kind is PauseKind.APPROVAL:
        item = approval_item(pending, token, server)
        return item, [
            *frames.event("response.output_item.added", output_index=at, item=item),
            *frames.event("response.output_item.done", output_index=at, item=item),
        ]
    item = question_item(pending, token)
    arguments = item["arguments"]
    place: dict[str, Json] = {"output_index": at, "item_id": item["id"]}
    begun = {**item, "arguments": "", "status": "in_progress"}
    return item, [
        *frames.event("response.output_item.added", output_index=at, item=begun),
        *frames.event("response.function_call_arguments.delta", **place, delta=arguments),
        *frames.event("response.function_call_arguments.done", **place, name=item["name"], arguments=arguments),
        *frames.event("response.output_item.done", output_index=at, item=item),
    ]
