"""The UI message stream of the AI SDK."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_DESIGN = "design: projections, the table of wires"
_SDK = "AI SDK UI message stream, v1"
_OURS = "ours"
_REPORTED = "reported by users of other frameworks"

ROWS: dict[str, Requirement] = {
    "VERCEL-total": Requirement(
        source=_DESIGN, says="Every class of event is in the table; an unknown one is an error."
    ),
    "VERCEL-message": Requirement(
        source=_DESIGN,
        says="A run is one message with the run's id, a round a step that ends behind its calls' results.",
    ),
    "VERCEL-brackets": Requirement(
        source=_SDK, says="Every delta has its open start, every part is ended and every step closed before any end."
    ),
    "VERCEL-cut": Requirement(source=_DESIGN, says="The same log gives the same chunks, however it was cut."),
    "VERCEL-segments": Requirement(
        source=_DESIGN,
        says="Whoever answers a pause goes on in the same message, with results for the old calls, and then holds what "
        "a reader of the whole holds.",
    ),
    "VERCEL-official": Requirement(
        source="design: promise 14",
        says="The AI SDK's own chunk schema and message reducer take every generated run, and hold the log's text, "
        "calls and ending.",
    ),
    "VERCEL-flags": Requirement(
        source=_SDK, says="All chunks of a call say alike where it runs; what runs here is executed by the provider."
    ),
    "VERCEL-no-loop": Requirement(
        source=_SDK, says="A page that sends by itself sends nothing that nobody has put into the message."
    ),
    "VERCEL-damaged": Requirement(
        source=_REPORTED, says="A call that never runs gives an input error and no go signal."
    ),
    "VERCEL-usage": Requirement(source="design: promise 10", says="Usage is told as it was reported, in every ending."),
    "VERCEL-data": Requirement(source=_SDK, says="What the wire has no word for is a data part with an id of its own."),
    "VERCEL-ends": Requirement(
        source=_REPORTED, says="Done, failed, cancelled and paused are told apart, in the stream and in the metadata."
    ),
    "VERCEL-retraction": Requirement(
        source=_DESIGN,
        says="What is taken back ends the response with `restarted` while the run goes on; a replay leaves it out.",
    ),
    "VERCEL-approval": Requirement(
        source=_SDK,
        says="Leave is asked with the token as the approval's id, and given in the next post, also later on.",
    ),
    "VERCEL-questions": Requirement(
        source=_SDK, says="A question is a part that is answered by its output, and checked."
    ),
    "VERCEL-front-end": Requirement(
        source=_SDK, says="What the front end runs is a part of its tool's own name, left for the page to run."
    ),
    "VERCEL-interrupts": Requirement(
        source=_OURS, says="A named interrupt is a part of its own, answered by its output."
    ),
    "VERCEL-unseen": Requirement(
        source="design: pauses",
        says="Who may not answer is told that a decision is due, gets no token and cannot answer.",
    ),
    "VERCEL-answers": Requirement(
        source=_SDK, says="A page answers by the tool parts of the last step; an answer counts once."
    ),
    "VERCEL-answered-twice": Requirement(
        source=_REPORTED,
        says="An answer that its caller posts again, word for word, is taken once and told what came of it.",
    ),
    "VERCEL-forged": Requirement(
        source=_REPORTED,
        says="A posted approval grants nothing but the open pause whose token it is, on its call, for its very input; "
        "any other refuses the post, and the true answer is as good as before.",
    ),
    "VERCEL-history": Requirement(source=_DESIGN, says="Of a posted history the newest message alone is read."),
    "VERCEL-unknown-fields": Requirement(
        source=_REPORTED, says="A post with the client's own parts and unknown fields is taken."
    ),
    "VERCEL-once": Requirement(
        source=_REPORTED, says="A post that is repeated joins the run that it began and is told the whole of it."
    ),
    "VERCEL-regenerate": Requirement(
        source=_SDK,
        says="An answer that is wanted anew is a new run with the same message; a post that names the answer can be "
        "repeated.",
    ),
    "VERCEL-regenerate-once": Requirement(
        source=_REPORTED,
        says="A post of `regenerate` that names no answer starts one run however often it is repeated.",
        deferral="such a post carries nothing that tells it from a second wish: it is refused while its run is live, "
        "and starts another one where the chat is idle",
    ),
    "VERCEL-files": Requirement(
        source=_OURS, says="Files of a message are carried to the model, or refused; never ignored."
    ),
    "VERCEL-resume": Requirement(
        source=_DESIGN, says="Whoever comes back is told the whole message from `start`, and then what comes."
    ),
    "VERCEL-idle": Requirement(
        source=_SDK, says="Where nothing goes on, nobody knows the chat or it is another scope's, resuming is 204."
    ),
    "VERCEL-missed-end": Requirement(
        source=_OURS, says="The end of a run that a reader may have missed is told once more to whoever comes back."
    ),
    "VERCEL-stop": Requirement(
        source="design: promise 6", says="Leaving stops nothing; stopping is a request of its own."
    ),
    "VERCEL-use-chat": Requirement(
        source="design: promises 5 to 7",
        says="A page with `useChat` and nothing but the address is left and loaded again without losing or repeating a "
        "word, and answers after the server was started again.",
    ),
    "VERCEL-busy": Requirement(
        source="design: pauses",
        says="A message to a chat that waits or works is refused in words that the client shows.",
    ),
    "VERCEL-cut-by-us": Requirement(
        source="design: promise 3", says="A stream that this side ends early ends with an error chunk, not in silence."
    ),
    "VERCEL-access": Requirement(
        source="design: server", says="Each route asks whether its caller may; a foreign chat is like none."
    ),
}
