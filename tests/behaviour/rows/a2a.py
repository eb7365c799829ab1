"""Runs as tasks of A2A, in versions 1.0 and 0.3, and what a server sends to addresses of its clients."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_REFERENCE = "the reference's A2A event projection"
_SHOWN = "shown by running the reference systems"
_REPORTED = "reported by users of other frameworks"
_V1, _V03, _BOTH = "A2A 1.0", "A2A 0.3", "A2A 1.0 and 0.3"
_DESIGN = "design: projections"
_OURS = "ours"
_UNION = "The union is ours: every kernel event, not five."

ROWS: dict[str, Requirement] = {
    # One event to frames.
    "A01": Requirement(
        source=_REFERENCE, says="A2A and every other wire are told from one union of events.", divergence=_UNION
    ),
    "A02": Requirement(source=_REFERENCE, says="The projection imports no A2A library and no web framework."),
    "A03": Requirement(source=_REFERENCE, says="A table keyed by event class; one look-up an event."),
    "A04": Requirement(source=_REFERENCE, says="A class that is not in the table is a KeyError; so is a subclass."),
    "A05": Requirement(
        source=_REFERENCE, says="The keys of the table are exactly the classes of the union.", divergence=_UNION
    ),
    "A06": Requirement(source=_REFERENCE, says="One projector a run, with its ids and its count of calls."),
    "A07": Requirement(source=_REFERENCE, says="It is made with named fields."),
    "A08": Requirement(source=_REFERENCE, says="It has slots and no other state."),
    "A09": Requirement(source=_REFERENCE, says="`taskId` and `contextId` stand on every update."),
    "A10": Requirement(
        source=_REFERENCE,
        says="A piece of text is one `artifact-update` of artifact `response`, its text unchanged.",
        divergence="The first piece makes the artifact and says `append` false (D31); 1.0 leaves out what is false.",
    ),
    "A11": Requirement(
        source=_REFERENCE,
        says="A call is one `status-update`, `working`, with a message whose only part is the ordinal.",
        divergence="`final` and lower-case states are those of 0.3; 1.0 has neither.",
    ),
    "A12": Requirement(source=_REFERENCE, says="The ordinal is `step n/max`, n from 1, a step a call."),
    "A13": Requirement(source=_REFERENCE, says="No name, argument or id of a call stands in an opaque event."),
    "A14": Requirement(
        source=_REFERENCE,
        says="The ordinal counts calls, and past the limit says no limit.",
        divergence="The reference says `step 3/2`; here it is `step 3`.",
    ),
    "A15": Requirement(
        source=_REFERENCE, says="A result is one `working` without a message: success and failure alike."
    ),
    "A16": Requirement(
        source=_REFERENCE,
        says="A run that is done has its output as artifact `output`, one data part, and then `completed`.",
        divergence="Only where there is structured output; the response is closed before it.",
    ),
    "A17": Requirement(
        source=_REFERENCE,
        says="Every event says its one update, and the end says the end last.",
        divergence="Events that the protocol has no word for say none.",
    ),
    "A18": Requirement(
        source=_REFERENCE,
        says="Usage reaches no A2A event.",
        divergence="A client that asks for the extension is told it, where the mount may tell it.",
    ),
    "A19": Requirement(
        source=_REFERENCE, says="An error is `failed` with the stable code as metadata, and never its text."
    ),
    "A20": Requirement(
        source=_REFERENCE,
        says="Discriminators are `artifact-update`, `status-update`, `message`, `text`, `data`; the role is `agent`.",
    ),
    "A21": Requirement(source=_REFERENCE, says="Nothing is told behind the end.", divergence="The reference tells it."),
    "A22": Requirement(
        source=_REFERENCE,
        says="The end of the run closes `response` with an empty last chunk.",
        divergence="The reference never closes it.",
    ),
    "A23": Requirement(
        source=_REFERENCE,
        says="Every message has an id: the run's, and the index of its event.",
        divergence="The reference gives none.",
    ),
    # The fold.
    "A2A-cuts": Requirement(
        source=_DESIGN, says="The frames of a log do not depend on how it was cut, wherever a reader begins."
    ),
    "A2A-fold": Requirement(source=_DESIGN, says="What a client folds from a stream is the task that is stored."),
    "A2A-versions": Requirement(source=_DESIGN, says="1.0 and 0.3, over both bindings, say the same of one log."),
    "A2A-order": Requirement(
        source=_V1, says="A stream is its task first, then updates, with one closing state, last."
    ),
    "A2A-final": Requirement(source=_V03, says="`final` stands on the last update of a stream and on no other."),
    "A2A-begin": Requirement(
        source=_V1, says="A run begins as a submitted task with its user's message, and is at work."
    ),
    "A2A-retraction": Requirement(source=_DESIGN, says="What was taken back is healed by the whole artifact."),
    "A2A-dropped": Requirement(source=_OURS, says="A loss is healed by the whole artifact."),
    "A2A-pause": Requirement(source=_V1, says="A pause is `input-required`, its message in words and in data."),
    "A2A-hidden": Requirement(
        source=_DESIGN,
        says="A pause that may not be shown is `auth-required`, without a token, and not answered there.",
    ),
    "A2A-reply": Requirement(
        source=_V1, says="An answer is a message on the task; the next stream begins with the task at work."
    ),
    "A2A-subscribe": Requirement(
        source=_V1, says="A subscription is the whole task, then what comes; of a task that is over it is refused."
    ),
    "A2A-whole": Requirement(source=_OURS, says="Whoever waits is given the task that a stream comes to."),
    "A2A-history": Requirement(source=_V1, says="A task holds as many messages as were asked for."),
    "A2A-details": Requirement(
        source=_V1, says="What states cannot say is metadata of an extension, told to whoever asks for it."
    ),
    # What clients send.
    "A2A-negotiation": Requirement(
        source=_V1, says="`A2A-Version` says the version; absent is 0.3, unknown is -32009."
    ),
    "A2A-methods": Requirement(source=_BOTH, says="Each version has its methods; one of the other version says which."),
    "A2A-id": Requirement(source="JSON-RPC 2.0", says="The id comes back as it came, type and all, on every frame."),
    "A2A-faults": Requirement(source=_V1, says="Faults have their codes; over JSON-RPC with status 200."),
    "A2A-path-faults": Requirement(source=_V1, says="A fault of a path has the form of google.rpc; in 0.3 its own."),
    "A2A-parts": Requirement(source=_OURS, says="Files are refused with -32005, data is carried; no part is ignored."),
    "A2A-bad-input": Requirement(source=_OURS, says="A member of another kind is refused with what came and where."),
    "A2A-words": Requirement(
        source=_OURS, says="Words answer the one pause they fit without a guess, else they are refused."
    ),
    "A2A-data": Requirement(source=_OURS, says="Data answers any number of pauses, in the form of answers over HTTP."),
    # The server.
    "A2A-bindings": Requirement(source=_BOTH, says="Both versions are spoken over JSON-RPC and over paths."),
    "A2A-context": Requirement(source=_DESIGN, says="A context is a thread, and a name in its client's scope."),
    "A2A-at-once": Requirement(source=_V1, says="A send that does not wait is answered with the submitted task."),
    "A2A-again": Requirement(source=_V1, says="A message that comes again joins the task that it began."),
    "A2A-misplaced": Requirement(
        source=_V1, says="A message that no task can take is refused before anything happens."
    ),
    "A2A-tokens": Requirement(
        source="design: pauses",
        says="A token is given to whoever may answer, verified where it comes back, made where it does not.",
    ),
    "A2A-foreign": Requirement(source=_V1, says="A foreign task and an absent one are the same refusal."),
    "A2A-cancel": Requirement(
        source=_V1, says="A cancel is answered with the cancelled task; of another end it is -32002."
    ),
    "A2A-list": Requirement(
        source=_V1, says="Tasks are listed by pages with a total, filtered by context, state and time."
    ),
    "A2A-broken": Requirement(
        source=_OURS, says="A stream that this side ends early says so in a frame of its binding."
    ),
    "A2A-silence": Requirement(source=_V1, says="Silence is broken before a client gives up after 5 seconds."),
    "A2A-card": Requirement(source=_BOTH, says="A card has the required members of both versions, and no other."),
    "A2A-canary": Requirement(source=_REFERENCE, says="Nothing of what an agent is made of stands in its card."),
    "A2A-push": Requirement(source=_V1, says="A target is told the whole task whenever that comes to rest, signed."),
    "A2A-push-off": Requirement(
        source=_OURS, says="Push is off unless asked for; a target is checked before a task is begun."
    ),
    "A2A-targets": Requirement(
        source=_BOTH, says="Targets are written, read, listed and removed; their secrets are not read back."
    ),
    "A2A-push-kept": Requirement(
        source=_OURS,
        says="Targets outlive the process that took them in.",
        deferral="the ports of a store have no place for them; a client registers again after a restart",
    ),
    # What was shown and reported.
    "D26": Requirement(source=_SHOWN, says="There is exactly one terminal update."),
    "D30": Requirement(source=_SHOWN, says="Version and methods agree: a client of either version is understood."),
    "D31": Requirement(source=_SHOWN, says="The first chunk of an artifact makes it, the last closes it."),
    "D32": Requirement(source=_SHOWN, says="Frames are valid in their schema: ids on messages, objects as data."),
    "D37": Requirement(
        source=_SHOWN, says="Who has no room is refused before the status line, and before a task is there."
    ),
    "D39": Requirement(source=_SHOWN, says="Who asks is found out before what is there."),
    "D44": Requirement(
        source=_SHOWN, says="Ids are echoed, notifications not answered, wrong members -32602, files refused."
    ),
    "D45": Requirement(source=_SHOWN, says="Half a surrogate pair ends no run and breaks no frame."),
    "D47": Requirement(source=_SHOWN, says="A step says no ratio above its limit."),
    "BR-141": Requirement(source=_REPORTED, says="A subscription after a drop has the task and all that follows."),
    "BR-142": Requirement(source=_REPORTED, says="A cancel is told to every reader and every target."),
    "BR-144": Requirement(source=_REPORTED, says="The first final state stays, in store, streams and pushes."),
    "BR-145": Requirement(
        source=_REPORTED, says="A second cancel returns the cancelled task; a completed one is not cancelable."
    ),
    "BR-147": Requirement(
        source=_REPORTED, says="The first chunk makes, the others append, the last is marked; the store says the same."
    ),
    "BR-148": Requirement(
        source=_REPORTED,
        says="An append to an artifact that was never sent is never silent.",
        deferral="no agent of another server is a source of runs yet; our own frames never append to one",
    ),
    "BR-150": Requirement(source=_REPORTED, says="Pieces and their whole are not both in the artifact."),
    "BR-151": Requirement(
        source=_REPORTED,
        says="A remote task that failed is an error and no answer.",
        deferral="no agent of another server is a source of runs yet",
    ),
    "BR-153": Requirement(source=_REPORTED, says="A stream stays open until its last update was delivered."),
    "BR-154": Requirement(
        source=_REPORTED, says="A send that waits returns with the pause, and the task goes on with its answer."
    ),
    "BR-156": Requirement(source=_REPORTED, says="The card stands at the new place and at the old one."),
    "BR-157": Requirement(
        source=_REPORTED,
        says="A card names the configured address, and never one that nobody could reach.",
        divergence="Without one there is a card for this machine alone: a forwarded address is anybody's word.",
    ),
    "BR-159": Requirement(
        source=_REPORTED, says="A pause names the call that waits alone; text stays in the artifact."
    ),
    # Requests to addresses of clients.
    "OUT-guard": Requirement(
        source=_OURS, says="Every address of a name is held against the rules; one that is not public refuses it."
    ),
    "OUT-rebinding": Requirement(
        source=_OURS, says="A name that stands for something else a moment later gains nothing."
    ),
    "OUT-pinned": Requirement(
        source=_OURS, says="The checked address is called, TLS checks the name, no redirect is followed."
    ),
    "OUT-signed": Requirement(source="Standard Webhooks 1.0", says="What is sent is signed with its id and its time."),
    "OUT-again": Requirement(
        source="Standard Webhooks 1.0", says="It is sent until it is taken, by one id, a bounded number of times."
    ),
}
