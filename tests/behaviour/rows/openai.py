"""The OpenAI compatible wire: chat completions and Responses."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_PAGE = "docs/protocols/openai.md"
_PROJECTIONS = "design: projections"
_PROMISES = "design: promises"

ROWS: dict[str, Requirement] = {
    "OPENAI-official": Requirement(
        source=_PROMISES,
        says="The official client's accumulators take every stream of generated runs, and hold text, calls and end.",
    ),
    "OPENAI-pure": Requirement(source="design: laws", says="The same log gives the same payloads, however it is cut."),
    "OPENAI-chat": Requirement(
        source=_PAGE,
        says="One id, the role first, one finish, usage last and only where it is asked for, then the end marker.",
    ),
    "OPENAI-responses": Requirement(
        source=_PAGE,
        says="Created first, each passage an item of its own, closed before the end, and the whole response last.",
    ),
    "OPENAI-sequence": Requirement(
        source=_PROMISES, says="Numbers are dense from 0, and whoever comes back is told what lies behind theirs."
    ),
    "OPENAI-tools": Requirement(
        source=_PROJECTIONS,
        says="What the server's tools do is told where the mount says so, and never as the client's.",
    ),
    "OPENAI-pauses": Requirement(
        source=_PROJECTIONS,
        says="A pause is a call or a request for approval that its token names; it is answered by that, all at once.",
    ),
    "OPENAI-history": Requirement(
        source=_PROJECTIONS, says="What a client sends as history is text at most; it never grants or instructs."
    ),
    "OPENAI-parse": Requirement(
        source="ours",
        says="A body is a request or a refusal that says where; what would be missed is never passed over.",
    ),
    "OPENAI-endings": Requirement(
        source=_PROMISES, says="What was cut, failed or stopped is never told as done, streamed or not."
    ),
    "OPENAI-retraction": Requirement(
        source=_PROJECTIONS,
        says="Taking back what was said ends the response as `restarted`; the run goes on, and is had whole by its id.",
    ),
    "OPENAI-leaving": Requirement(
        source=_PROJECTIONS, says="A run that is not in the background is cancelled after 10 s with no reader at all."
    ),
    "OPENAI-background": Requirement(
        source=_PROJECTIONS,
        says="A response in the background is answered at once, goes on, and is read and stopped later.",
    ),
    "OPENAI-conversation": Requirement(
        source=_PAGE, says="A response goes on from the last one of its conversation, and from no other."
    ),
    "OPENAI-store": Requirement(
        source=_PAGE, says="What is not stored cannot be had again by its id, nor be gone on from."
    ),
    "OPENAI-scope": Requirement(source=_PROMISES, says="A response of another scope is not there."),
    "OPENAI-models": Requirement(source=_PAGE, says="The agents are listed as models."),
    "OPENAI-refusals": Requirement(
        source=_PAGE, says="What is refused is refused before anything begins, in the protocol's own form."
    ),
    "OPENAI-retries": Requirement(
        source=_PAGE, says="The client is told not to repeat a request once a run exists; one with a key joins its run."
    ),
}
