"""People in the loop: what is asked, by whom it may be answered, and what an answer does."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_PROMISES = "design: promises"
_PAUSES = "design: pauses"
_FIELD = "a fault reported in the field"

ROWS: dict[str, Requirement] = {
    "PAUSE-questions": Requirement(
        source=_PAUSES, says="A model may ask 1 to 4 sound questions; a malformed call goes back to it."
    ),
    "PAUSE-interrupt": Requirement(
        source="docs/pauses.md",
        says="A tool that asks goes no further; it is called again with the answer, which it gets where it asked.",
    ),
    "PAUSE-front-end": Requirement(
        source="docs/pauses.md",
        says="A tool without a function is a pause, and what the front end gives is its result.",
    ),
    "PAUSE-audit": Requirement(
        source="ours", says="Who decided, when, and what it changed is remembered with the decision."
    ),
    "PAUSE-answer": Requirement(
        source=_PROMISES, says="A run that waits is answered from anywhere, after a restart too, and goes on once."
    ),
    "PAUSE-siblings": Requirement(
        source=_PAUSES, says="A round's other calls settle first; all its pauses are listed; the last answer resumes."
    ),
    "PAUSE-decisions": Requirement(
        source=_PAUSES, says="Approve, deny, edit, answer and cancel: each does what it says to the pauses it fits."
    ),
    "PAUSE-answers": Requirement(
        source=_PAUSES, says="Every question is answered once, with labels it has; a bad answer names its question."
    ),
    "PAUSE-order": Requirement(
        source=_PAUSES,
        says="Verified, scoped, loaded, validated, consumed; decision and result are stored before the model is asked.",
    ),
    "PAUSE-refusals": Requirement(
        source=_PAUSES,
        says="Forged, swapped, foreign, unknown, late and doubled answers are refused, each by its own error.",
    ),
    "PAUSE-once": Requirement(source=_PROMISES, says="Of two answers at once exactly one counts, and it runs once."),
    "PAUSE-expiry": Requirement(
        source=_PAUSES, says="A pause that nobody answers is over in time, as its agent says, and all see it."
    ),
    "PAUSE-cancel": Requirement(source=_PAUSES, says="A run that waits can be stopped; no answer counts after it."),
    "PAUSE-cancel-first": Requirement(
        source="docs/pauses.md",
        says="An answer after a cancel is refused as one; one before it stands in the log, then who cancelled.",
    ),
    "PAUSE-message": Requirement(
        source=_PAUSES, says="A message to a thread that waits follows the thread's rule and grants nothing."
    ),
    "PAUSE-redacted": Requirement(
        source="design: law 5",
        says="Questions are answered with the labels that were shown, redacted ones too; no refusal tells more.",
    ),
    "PAUSE-filters": Requirement(source=_PAUSES, says="What comes after an answer passes the same filters and counts."),
    "PAUSE-rule": Requirement(source=_FIELD, says="The rule that asks for leave is asked once for a call."),
    "PAUSE-history": Requirement(
        source=_FIELD, says="An answered call and its result are a whole pair in every later request."
    ),
    "PAUSE-no-time": Requirement(source=_PAUSES, says="Time waited is in the events and not in the duration."),
    "PAUSE-text": Requirement(
        source="docs/pauses.md", says="On wires that have but a text for it, a pause is answered in a word or as JSON."
    ),
    "PAUSE-token": Requirement(
        source=_PAUSES, says="A token is bound to run, interrupt, scope, arguments and expiry, and is stored nowhere."
    ),
    "PAUSE-secret": Requirement(
        source=_PAUSES,
        says="Keys are secrets of 32 bytes or more, of the environment or a file of one's own; no default.",
    ),
    "PAUSE-lives": Requirement(
        source=_PROMISES,
        says="Over answers, stops, expiries, messages and crashes a run ends in a stated way, its transcript sound.",
    ),
    "KILL-answer": Requirement(
        source=_PROMISES, says="Killed anywhere between an answer and the next model call, a tool ran at most once."
    ),
    "BR-066": Requirement(source=_FIELD, says="Pauses of parallel calls have ids of their own, each naming its call."),
    "BR-067": Requirement(source=_FIELD, says="All pauses of a round are collected, and its other results are stored."),
    "BR-069": Requirement(source=_FIELD, says="An answer to what is not open is refused, and its whole body with it."),
    "BR-070": Requirement(source=_FIELD, says="A pause that was answered is not asked again for another's answer."),
    "BR-072": Requirement(
        source=_FIELD, says="A call that settled beside a pause is neither asked about nor run again."
    ),
    "BR-073": Requirement(source=_FIELD, says="A message after a pause is no approval: the call does not run."),
    "BR-075": Requirement(source=_FIELD, says="A gated tool runs on no later, unrelated turn."),
    "BR-076": Requirement(
        source=_FIELD, says="A model that fails after an approved tool loses neither answer nor result."
    ),
    "BR-079": Requirement(source=_FIELD, says="A run that waits says so, with every pause, its call and its reason."),
    "BR-082": Requirement(source=_FIELD, says="A pause that nobody answers is over in time, through a restart too."),
    "BR-086": Requirement(
        source=_FIELD, says="What a tool asked in the middle of its work is answered after a restart."
    ),
    "BR-087": Requirement(source=_FIELD, says="The rule that asks for approval is not asked again on resume."),
    "BR-090": Requirement(source=_FIELD, says="Call and result of an approved tool are both in what comes after."),
    "BR-091": Requirement(source=_FIELD, says="A message after an answer leaves no call without its result."),
    "D15": Requirement(source="reference behaviours", says="A resumed segment passes the same pipeline as the first."),
    "D16": Requirement(source="reference behaviours", says="No two scopes are written alike in what a token binds."),
    "PAUSE-http": Requirement(
        source="docs/server.md", says="Pauses are read and answered over HTTP, and refused before the status line."
    ),
    "D16c": Requirement(source="reference behaviours", says="A label that is none is a 400 that names its question."),
    "D16d": Requirement(source="reference behaviours", says="A bad answer is refused with a 4xx, before any stream."),
    "PAUSE-demo": Requirement(
        source="docs/cli.md", says="The demo of approvals tries ten attacks, and fails if one does not."
    ),
    "CLI-answer-taken": Requirement(
        source="docs/cli.md",
        says="An answer that was taken and that no process has heard is shown and audited with who gave it.",
    ),
    "CLI-answer-late": Requirement(
        source="docs/cli.md",
        says="A command that answers what is settled, or nothing, says so, with who settled it, and exits 1.",
    ),
    "CLI-asking": Requirement(
        source="docs/cli.md",
        says="A person is told what may be typed; what is none of it is asked for again and decides nothing.",
    ),
    "CLI-answer": Requirement(source="docs/cli.md", says="A stored run is answered and audited from the command line."),
    "D14": Requirement(
        source="reference behaviours", says="Without a secret that is one, nothing is signed or started."
    ),
}
