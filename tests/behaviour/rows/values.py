"""Kernel values: what is handed about."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_SOURCE = "the reference kernel's values"

ROWS: dict[str, Requirement] = {
    "V01": Requirement(
        source=_SOURCE, says="Values are frozen data classes of the standard library, and so is what carries them."
    ),
    "V02": Requirement(source=_SOURCE, says="Only adapters know both a provider's vocabulary and ours."),
    "V03": Requirement(
        source=_SOURCE,
        says="An outcome needs a text; all else defaults to empty, unreported or None.",
        divergence="It also says where in the text the answer begins.",
    ),
    "V04": Requirement(source=_SOURCE, says="An outcome's messages and tool outcomes are carried and never looked at."),
    "V05": Requirement(source=_SOURCE, says="An event has a kind, an index and its run's id."),
    "V06": Requirement(source=_SOURCE, says="Indexes are dense over a run. They begin at 0."),
    "V07": Requirement(
        source=_SOURCE, says="Nobody but the run's writer gives an index: what is made before has none."
    ),
    "V08": Requirement(
        source=_SOURCE,
        says="An event carries text, a request, a tool outcome, an outcome or an error.",
        divergence="Each in a class of its own, where the field is required, and not as optional slots of one class.",
    ),
    "V09": Requirement(
        source=_SOURCE,
        says="A stage has an id, a phase, a capability, an outcome, a reason and frozen counts, empty by default.",
    ),
    "V10": Requirement(
        source=_SOURCE, says="A notice of loss says what was lost, how many, and the first and last of them."
    ),
    "V11": Requirement(source=_SOURCE, says="A final event says why the run ended."),
    "V12": Requirement(
        source=_SOURCE,
        says="A pause carries what it waits for.",
        divergence="All open pauses of the round, not one.",
    ),
    "V13": Requirement(source=_SOURCE, says="There is one vocabulary of events, and every reader's table is over it."),
    "V14": Requirement(source=_SOURCE, says="A model delta is a kind and a text."),
    "V15": Requirement(
        source=_SOURCE, says="A model turn defaults to no text, no calls, no usage, no label, no payload."
    ),
    "V16": Requirement(source=_SOURCE, says="A turn's payload is the adapter's own: carried, never read, handed back."),
    "V17": Requirement(
        source=_SOURCE, says="A prompt is instructions or None, the prompt, attachments, history and system blocks."
    ),
    "V18": Requirement(source=_SOURCE, says="The same plan and request give an equal prompt."),
    "V19": Requirement(source=_SOURCE, says="A tool request is an id, a name and frozen arguments, empty by default."),
    "V20": Requirement(
        source=_SOURCE, says="The kernel gives call ids: a provider's may be missing, doubled or used again."
    ),
    "V21": Requirement(
        source=_SOURCE,
        says="A request is a prompt and ids; attachments, history and properties are empty, parent and scope None.",
        divergence="A session is called a thread, and a run's own id must be given.",
    ),
    "V22": Requirement(source=_SOURCE, says="A caller gives no instructions: they are the plan's."),
    "V23": Requirement(source=_SOURCE, says="Root and parent run ids say which run a nested run belongs to."),
    "V24": Requirement(
        source=_SOURCE,
        says="Usage is six counts, all 0, and a cache TTL of None.",
        divergence="It also names the counts that were reported and counts the rounds that reported none.",
    ),
    "V25": Requirement(
        source=_SOURCE,
        says="0 is unreported and never free; the kernel adds what it is told.",
        divergence="A zero that was measured can be told from silence.",
    ),
    "V26": Requirement(
        source=_SOURCE,
        says="Usages with different cache TTLs sum to the counts and a TTL of None.",
        divergence="The reference leaves it open.",
    ),
    "V27": Requirement(source=_SOURCE, says="A frozen value that holds a mapping is no key."),
}
