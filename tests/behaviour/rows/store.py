"""Stores: the log, the table and the inboxes of runs."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement


def _ours(says: str) -> Requirement:
    return Requirement(source="ours", says=says)


def _reported(says: str) -> Requirement:
    return Requirement(source="a fault users reported of another system", says=says)


_LOG = {
    "ST-01": _ours(
        "An append is one transaction: its records, the run's new status, the messages it takes, or nothing."
    ),
    "ST-02": _ours("Places are dense: a gap, in seq or in index, is refused, and nothing is written."),
    "ST-03": _ours("The identical append at a written place changes nothing, however its acknowledgement was lost."),
    "ST-04": _ours("Other content at a written place is a conflict, and nothing is written."),
    "ST-05": _ours("A stale owner is fenced: it writes nothing, renews nothing, and the newer one goes on."),
    "ST-06": _ours("A lease ends with the append that lets the run go, and nothing follows a final status."),
    "ST-07": _ours("A record keeps the epoch of the owner that wrote it, so that a cursor tells a lost suffix."),
    "ST-08": _ours(
        "A reader may begin after any event and has every later one once, in order, and facts in their places."
    ),
    "ST-09": _ours("Wake-ups are hints: a reader without any of them sees the same."),
    "ST-10": _ours("Nobody waits for what is there already, nor for a run that is final."),
    "ST-11": _ours("Two commits lie 2 ms apart, so there are 500 a second at most; a store at rest adds no wait."),
}

_TABLE = {
    "ST-20": _ours("Of any number of workers that claim at once one owns the run, and the epoch rises each time."),
    "ST-21": _ours("A lease is over by the store's clock, and then anyone who has the plan may take the run over."),
    "ST-22": _ours("A thread has one live run; another is refused, queued in order, or cancels those before it."),
    "ST-23": _ours("A waiting run is live, and holds its thread until it is final."),
    "ST-24": _ours("A waiting run is claimed when its moment to wake has come, and not before."),
    "ST-25": _ours("An idempotency key is one run in its scope; another request under it is refused."),
    "ST-26": _ours("Only a final run is deleted, and then nothing of it is left; its facts can be deleted alone."),
    "ST-27": _ours("Lists of runs are paged without a gap and without a repeat."),
}

_INBOX = {
    "ST-40": _ours("A message is sent once for each key, so of two answers at once exactly one wins."),
    "ST-41": _ours("A message is taken by the append that records it, and by no other."),
    "ST-42": _ours("An answer that beats its pause is not lost: the run is ready instead of waiting."),
    "ST-43": _ours("A message makes a waiting run ready; a final run refuses it."),
    "ST-45": _ours("What may not follow a message of some kind is refused after one, in the step that would take it."),
    "ST-44": _ours("The scope is part of every key and every query: another's run is as if it were not there."),
}

_DAMAGE = {
    "ST-60": _ours("A damaged row is reported with its run and its seq, and the rest of the log can be read."),
    "ST-61": _ours("A store without room says so, writes nothing of what it refused, and goes on when there is room."),
    "ST-62": _ours("Compaction is not noticed: indexes, epochs, texts and facts stay."),
    "ST-63": _ours("In any life of runs a store says what a naive one says."),
}

_REPORTED = {
    "BR-020": _reported(
        "What happened while a client was away is there when it comes back with its cursor, each event once."
    ),
    "BR-021": _reported("Reading takes nothing away: each reader has its own cursor over a log that is kept."),
    "BR-023": _reported("A run that ends while a reader catches up ends that reader too, at any interleaving."),
    "BR-024": _reported("The closing event is given once at the border between what is there and what comes."),
    "BR-027": _reported(
        "A start that is repeated under its key joins the run, also after its end, and runs nothing again."
    ),
    "BR-029": _reported("A run whose owner died can be claimed by another; one that lives elsewhere cannot."),
}

ROWS: dict[str, Requirement] = {**_LOG, **_TABLE, **_INBOX, **_DAMAGE, **_REPORTED}
