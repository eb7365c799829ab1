"""AG-UI."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_DESIGN = "design: projections, the table of wires"
_SPEC = "AG-UI 1.0"
_OURS = "ours"
_REPORTED = "reported by users of other frameworks"

ROWS: dict[str, Requirement] = {
    "AGUI-cuts": Requirement(source=_DESIGN, says="The same log says the same, however it was cut into stretches."),
    "AGUI-rules": Requirement(
        source=_SPEC, says="No stream of any run breaks a rule of the client: order, brackets, steps, shapes."
    ),
    "AGUI-brackets": Requirement(
        source=_REPORTED, says="Whatever is open is closed before every end, in every ending, the last first."
    ),
    "AGUI-held": Requirement(
        source="design: promise 1", says="What a client holds in the end is the log's text, thinking, calls and ending."
    ),
    "AGUI-official": Requirement(
        source="design: promise 14",
        says="The official client's own verifier and reducer take every generated run, and hold what the log says.",
    ),
    "AGUI-stream": Requirement(source=_SPEC, says="A post is answered by an event stream that says how it ended."),
    "AGUI-error": Requirement(
        source=_SPEC, says="A failure is one RUN_ERROR, last, with a stable code and nobody else's words."
    ),
    "AGUI-leaving": Requirement(source=_DESIGN, says="A client that closes its connection stops nothing."),
    "AGUI-once": Requirement(
        source=_OURS, says="The same run or the same answer posted again begins nothing twice, and is led to the first."
    ),
    "AGUI-interrupt": Requirement(
        source=_SPEC,
        says="What a run waits for are interrupts with token, reason, schema and time, for whoever may answer.",
    ),
    "AGUI-resume": Requirement(
        source=_SPEC,
        says="Resume entries approve, deny, edit, answer or cancel, some or all; a new run goes on with the old calls.",
    ),
    "AGUI-front-end": Requirement(
        source=_SPEC, says="Calls of the front end stay pending until a tool message, or a resume entry, answers them."
    ),
    "AGUI-history": Requirement(
        source=_DESIGN,
        says="Of a post only the newest user message and answers are heard; nothing else grants.",
    ),
    "AGUI-refusals": Requirement(
        source=_OURS, says="What cannot be done is refused before the stream, by its own name, and nothing is lost."
    ),
    "AGUI-attach": Requirement(
        source=_DESIGN,
        says="Whoever comes back is told snapshots, then what comes: nothing missing, nothing twice.",
    ),
    "AGUI-snapshot": Requirement(
        source=_REPORTED, says="A messages snapshot changes nothing for a client that saw every event."
    ),
    "AGUI-exposure": Requirement(
        source=_DESIGN, says="Under every exposure brackets are balanced, and a hidden pause gives no token."
    ),
    "AGUI-access": Requirement(
        source=_DESIGN, says="To start, to read and to answer are three rights, and each is asked for."
    ),
    "AGUI-page": Requirement(
        source="design: promises 5 to 7",
        says="A page on the official client with nothing but the address is left and loaded again without losing or "
        "repeating a word, gives leave or refuses it after the server was started again, and stops.",
    ),
    "AGUI-binary": Requirement(
        source=_SPEC,
        says="A client that asks for the protobuf form gets it.",
        divergence="there is no encoder for Python; the event stream is sent, which the official client reads as well",
    ),
    "AGUI-state-delta": Requirement(
        source=_SPEC,
        says="Shared state is told as patches.",
        deferral="no agent says how its state changed; it is told whole",
    ),
    "BR-093": Requirement(source=_REPORTED, says="One end, last: nothing follows an error, and no finish."),
    "BR-096": Requirement(source=_REPORTED, says="What is open is closed before every end, in reverse order."),
    "BR-099": Requirement(source=_REPORTED, says="A cancelled run and a failed one are two outcomes."),
    "BR-160": Requirement(source=_REPORTED, says="No delta without its start; a text after a call has its own."),
    "BR-161": Requirement(source=_REPORTED, says="The deltas of a text share one id, and the next text has another."),
    "BR-164": Requirement(source=_REPORTED, says="What was sent may be posted back, unknown fields and all."),
    "BR-166": Requirement(source=_REPORTED, says="A call has one id from its start to its result."),
    "BR-167": Requirement(source=_REPORTED, says="The parent of a call is a message that exists."),
    "BR-169": Requirement(source=_REPORTED, says="A snapshot gives every message its streamed id, split and place."),
    "BR-170": Requirement(source=_REPORTED, says="A snapshot is never older than what was streamed before it."),
    "BR-172": Requirement(source=_REPORTED, says="Nothing that a client holds is said twice, or removed."),
    "BR-173": Requirement(source=_REPORTED, says="One form of messages is used: start, content, end, and no chunks."),
}
