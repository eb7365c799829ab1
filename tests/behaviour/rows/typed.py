"""The typed stream that Python users read."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_SOURCE = "the reference kernel's typed projection"

ROWS: dict[str, Requirement] = {
    # One kernel event to stream events.
    "T01": Requirement(source=_SOURCE, says="The typed stream is built straight from kernel events."),
    "T02": Requirement(source=_SOURCE, says="Projections are siblings: none is made from another."),
    "T03": Requirement(source=_SOURCE, says="Where the kernel reported nothing, nothing is said: no zero, no text."),
    "T04": Requirement(source=_SOURCE, says="One event says an ordered tuple of stream events, or an empty one."),
    "T05": Requirement(source=_SOURCE, says="The tuples in sequence keep the kernel's order."),
    "T06": Requirement(source=_SOURCE, says="Thinking is one thinking delta with the same text."),
    "T07": Requirement(source=_SOURCE, says="Empty thinking says nothing."),
    "T08": Requirement(source=_SOURCE, says="Text is one text delta, unchanged; white space alone is text."),
    "T09": Requirement(source=_SOURCE, says="Empty text says nothing."),
    "T10": Requirement(source=_SOURCE, says="A dispatched call is a start with the tool's name and the call's id."),
    "T11": Requirement(
        source=_SOURCE,
        says="The start of a dispatched call says `executing`.",
        divergence="The kernel also tells when the model first speaks of a call; that start says `announced`.",
    ),
    "T12": Requirement(
        source=_SOURCE,
        says="The start is followed by one delta with the whole arguments as JSON text.",
        divergence="Not where the argument text was already given in pieces: it would be told twice.",
    ),
    "T13": Requirement(source=_SOURCE, says="A call without arguments is its start alone."),
    "T14": Requirement(
        source=_SOURCE,
        says="A dispatched call without a request says nothing.",
        divergence="Such an event cannot be made: the request is a required field of its class.",
    ),
    "T15": Requirement(
        source=_SOURCE,
        says="A result is a tool result with the call's id, its content and its error.",
        divergence="The error has a field of its own and is never put in the place of the content.",
    ),
    "T16": Requirement(
        source=_SOURCE,
        says="A result is followed by an extension `tool_timing` under the call's id: duration in ms and is_error.",
        divergence=(
            "Without the tool's name, which one event alone does not know and the call's start has told; and not "
            "for a call that never ran, whose duration would be an invented zero."
        ),
    ),
    "T17": Requirement(
        source=_SOURCE,
        says="A result is an error exactly if its status is not `ok`.",
        divergence="By status and not by the presence of an error text; both content and error text are kept.",
    ),
    "T18": Requirement(
        source=_SOURCE,
        says="The content of a result is text, whatever the tool gave.",
        divergence="What is not text becomes compact JSON; no value ends the stream.",
    ),
    "T19": Requirement(
        source=_SOURCE,
        says="A result without an outcome says nothing.",
        divergence="Such an event cannot be made: the outcome is a required field of its class.",
    ),
    "T20": Requirement(source=_SOURCE, says="`done`, `error` and `cancelled` say nothing event by event."),
    "T21": Requirement(
        source=_SOURCE,
        says="A pause closes a segment too, and says what it waits for.",
        divergence="The token that answers it is made by the server for a reader who may answer, and is not in here.",
    ),
    "T22": Requirement(
        source=_SOURCE,
        says="A pause is known before its kind is looked at.",
        divergence="A pause is a class of its own: text never carries one and is never lost to one.",
    ),
    "T23": Requirement(source=_SOURCE, says="`ask_user` is a question event, every other pause an interrupt event."),
    "T24": Requirement(source=_SOURCE, says="What is no pause says no pause, so every event may be passed through."),
    "T25": Requirement(
        source=_SOURCE,
        says="A pause that waits for nothing is an error.",
        divergence="The reference ends such a stream in silence; here such a pause event cannot be made.",
    ),
    "T26": Requirement(
        source=_SOURCE,
        says="Stages say nothing; notices of loss reach typed readers; an unknown class is an error.",
        divergence="The reference drops every kind that it does not know, notices of loss with them.",
    ),
    # Draining a stream.
    "T30": Requirement(source=_SOURCE, says="`done` says usage, if there is any, and then one completion."),
    "T31": Requirement(source=_SOURCE, says="The completion's text is the outcome's, empty where there is none."),
    "T32": Requirement(source=_SOURCE, says="The completion's duration is rounded to one decimal of a millisecond."),
    "T33": Requirement(
        source=_SOURCE, says="In the bare form `error` says nothing; the run's own exception comes, not wrapped."
    ),
    "T34": Requirement(
        source=_SOURCE,
        says="A source that tells `error` and raises nothing does not end in silence.",
        divergence="The bare form raises `RunFailedError` with the completion as its partial result.",
    ),
    "T35": Requirement(source=_SOURCE, says="In the bare form `cancelled` says nothing, and no completion."),
    "T36": Requirement(
        source=_SOURCE,
        says="In the bare form a pause says what it waits for after every earlier delta, and no completion.",
        divergence="Its usage comes before it, where any was reported.",
    ),
    "T37": Requirement(source=_SOURCE, says="The public form adds a completion on every ending, pauses included."),
    "T38": Requirement(
        source=_SOURCE, says="The source is closed on success, exception, cancel and when the reader walks away."
    ),
    "T39": Requirement(source=_SOURCE, says="A source without a close is accepted."),
    "T40": Requirement(
        source=_SOURCE,
        says="A stream that is closed before its first step closes its source.",
        divergence="The reference leaves the source open.",
    ),
    "T41": Requirement(
        source=_SOURCE,
        says="A close that fails neither replaces the run's own exception nor fails a completed stream.",
        divergence="It goes to the event loop's exception handler, and the reader is told nothing.",
    ),
    "T42": Requirement(
        source=_SOURCE,
        says="Nothing is said after the first closing event.",
        divergence="The reference goes on reading and may complete twice.",
    ),
    "T43": Requirement(
        source=_SOURCE,
        says="Deltas and the completion's text pass as they are: the kernel's events are filtered already.",
        divergence="Events and outcome hold the same shown text, so the joined deltas are the completion's text.",
    ),
    # Usage.
    "T50": Requirement(
        source=_SOURCE,
        says="Without a result there is no usage.",
        divergence="Every closing event has an outcome; the usage is absent where that reports none.",
    ),
    "T51": Requirement(
        source=_SOURCE,
        says="Counts that nobody reported make no usage event.",
        divergence="A zero that a provider measured is reported, and is told as 0.",
    ),
    "T52": Requirement(
        source=_SOURCE,
        says="A total without a split is told.",
        divergence="The reference drops it, having no field for it.",
    ),
    "T53": Requirement(source=_SOURCE, says="A reported split is told with both numbers."),
    "T54": Requirement(
        source=_SOURCE,
        says="A count that was not reported beside one that was is None.",
        divergence="The reference publishes it as 0.",
    ),
    "T55": Requirement(
        source=_SOURCE,
        says="Paused, failed and cancelled runs tell what they spent.",
        divergence="The reference tells it for `done` alone. The bare form says it for a pause too, and no more.",
    ),
    "T56": Requirement(
        source=_SOURCE,
        says="Cache reads and writes, their TTL and reasoning tokens are told.",
        divergence="The reference carries none of them. Cost is a fold over usage and prices and is not told here.",
    ),
}
