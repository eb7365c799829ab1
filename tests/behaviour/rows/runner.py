"""Runs that outlive their readers and their process."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_PROMISES = "design: promises"
_LOG = "design: the run log"
_FIELD = "a fault reported in the field"

ROWS: dict[str, Requirement] = {
    "RUNNER-start": Requirement(source="docs/runner.md", says="A started run goes to its end without a reader."),
    "RUNNER-key": Requirement(
        source=_LOG, says="A start is made once for each scope and key; another request under the key is refused."
    ),
    "RUNNER-refuses": Requirement(
        source="ours", says="All that is wrong with a start is told at once, and none is made."
    ),
    "RUNNER-watch": Requirement(
        source=_PROMISES, says="A reader sees every event after its cursor once, in order, live or late, to the last."
    ),
    "RUNNER-cursor": Requirement(
        source=_LOG, says="A cursor that is not of this log is refused, and the reader is told where to go on."
    ),
    "RUNNER-segment": Requirement(source="design: projections", says="A stream of a segment ends with its pause."),
    "RUNNER-cancel": Requirement(
        source=_PROMISES, says="Stop is kept until it is heard, within a second of a run at work; the first end wins."
    ),
    "RUNNER-thread": Requirement(source=_LOG, says="A thread has one live run, and a waiting run is live."),
    "RUNNER-brought": Requirement(
        source="ADR 0041",
        says="A history that a caller brings is text, kept with the run and told as said before; it never instructs.",
    ),
    "RUNNER-history": Requirement(
        source="design: laws",
        says="A thread's next run is told what the runs before said and showed, however they ended.",
    ),
    "RUNNER-leaving": Requirement(
        source="design: projections", says="A run goes on when its last reader leaves, or ends by its own rule."
    ),
    "RUNNER-drain": Requirement(
        source="design: server", says="Leaving a runner lets its runs end, gives back what is left, and leaves no task."
    ),
    "RUNNER-settle": Requirement(
        source="docs/runner.md", says="What an observer has under way comes to its end when its runner is left."
    ),
    "RUNNER-recovers": Requirement(source=_LOG, says="A run that was given back goes on at the next owner."),
    "RUNNER-lives": Requirement(
        source=_PROMISES, says="In any life of runs each log is dense, closes once, and says what its readers saw."
    ),
    "RUNNER-many": Requirement(
        source="ours", says="Hundreds of runs at once, with readers that come and go, leave nothing behind."
    ),
    "STORED-coalesce": Requirement(
        source=_LOG, says="Pieces grow into one only while an append is in flight, for every reader alike."
    ),
    "STORED-gather": Requirement(
        source="ours",
        says="Speech that comes in every turn of the event loop is appended several pieces at a time, and stays apart.",
    ),
    "STORED-bound": Requirement(
        source=_LOG, says="At most 256 pieces or 4 KB wait for the store; then the provider waits."
    ),
    "STORED-unwatched": Requirement(
        source=_LOG, says="What nobody watches is stored within 250 ms, what somebody watches at once."
    ),
    "STORED-rides": Requirement(source=_LOG, says="What begins a run is stored with the first thing to be seen."),
    "STORED-before-acts": Requirement(source=_LOG, says="A call is stored before its tool runs."),
    "STORED-full": Requirement(
        source="ours", says="A store without room is tried again, then lets the run go; nothing is shown meanwhile."
    ),
    "STORED-observers": Requirement(
        source="design: laws", says="Those who look on are told what was stored, in order, and can harm nothing."
    ),
    "RECOVERY-any": Requirement(
        source=_PROMISES, says="Wherever a worker dies, no character is missing or repeated, and no tool runs twice."
    ),
    "RECOVERY-tools": Requirement(
        source=_PROMISES, says="A call whose worker died is `unknown`; one that is declared idempotent runs again."
    ),
    "RECOVERY-bound": Requirement(source="ours", says="A run that kills its workers ends `error: worker_lost`."),
    "RECOVERY-clock": Requirement(
        source="ours", says="A run's time at work counts over all its owners; waiting for people or an owner does not."
    ),
    "RECOVERY-stop": Requirement(
        source="ours", says="A stop that waits for a run without a worker ends it with all that was shown."
    ),
    "RECOVERY-pause": Requirement(source=_PROMISES, says="A pause outlives its process, under the same id."),
    "RECOVERY-fenced": Requirement(
        source=_LOG, says="An owner that was taken over stops its tools and writes nothing more."
    ),
    "BR-001": Requirement(
        source=_FIELD, says="What a stopped run had shown, with its calls and results, is remembered."
    ),
    "BR-002": Requirement(source=_FIELD, says="A stop settles the call that runs before the run ends."),
    "BR-004": Requirement(source=_FIELD, says="Whoever looks on, or stops looking, changes nothing of a run."),
    "BR-005": Requirement(source=_FIELD, says="What a run wrote is committed before it counts as over."),
    "BR-007": Requirement(source=_FIELD, says="Storing does not depend on any reader."),
    "BR-013": Requirement(source=_FIELD, says="After a stop nothing that the model goes on to say is shown."),
    "BR-016": Requirement(source=_FIELD, says="A stop and an end that meet make one end, in either order."),
    "BR-017": Requirement(source=_FIELD, says="A wanted stop keeps the text and is no error."),
    "BR-026": Requirement(source=_FIELD, says="Stop works for a reader that came back as for any other."),
    "BR-081": Requirement(source=_FIELD, says="A pause is found again with the same id when the log is read anew."),
    "BR-084": Requirement(source=_FIELD, says="A message to a thread that waits is refused, and the pause stands."),
    "BR-089": Requirement(source=_FIELD, says="A pause of one thread stops no other."),
}
