"""Runs over HTTP: started, read, left, found again, stopped."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_SERVER = "design: server"
_REPORTED = "reported by users of other frameworks"

ROWS: dict[str, Requirement] = {
    "SERVE-module": Requirement(
        source="docs/cli.md",
        says="A module alone is served by what it offers under a known name, else by all agents at its top.",
    ),
    "SERVE-stream": Requirement(
        source=_SERVER,
        says="A start that asks for a stream is answered with it: dense ids, LF alone, one event a frame.",
    ),
    "SERVE-resume": Requirement(
        source=_REPORTED,
        says="A reader who comes back with a cursor gets what lies behind it, each event once, in order.",
    ),
    "SERVE-cursor": Requirement(
        source=_SERVER,
        says="A cursor that is malformed, ahead of the log or of another history is refused before the status line, "
        "with the place on which both agree.",
    ),
    "SERVE-cursor-run": Requirement(
        source=_SERVER,
        says="A cursor of another run is refused.",
        deferral="a cursor is `epoch:index` and names no run: one of another run is refused where its index or its "
        "epoch does not stand in this log, and cannot be told from one of this run where both do",
    ),
    "SERVE-exposure": Requirement(
        source=_SERVER,
        says="A mount tells what its exposure names and nothing else: tools, thinking, errors, usage, extensions, "
        "pauses.",
    ),
    "SERVE-fold": Requirement(
        source=_SERVER,
        says="Readers of one run in one protocol are sent the same bytes, wherever they begin and whoever else reads.",
    ),
    "SERVE-broken": Requirement(
        source=_SERVER,
        says="A stream of a protocol that the server ends early closes with that protocol's own error.",
    ),
    "SERVE-frozen": Requirement(
        source=_REPORTED,
        says="A client that takes nothing is ended in its time without an end marker, holds a bounded amount until "
        "then, and can come back.",
    ),
    "SERVE-leaving": Requirement(
        source=_SERVER,
        says="A client that goes is noticed on uvicorn, granian and hypercorn, also while nothing is sent.",
    ),
    "SERVE-stop": Requirement(
        source="design: promise 6",
        says="A stop over HTTP ends its run within a second, whatever the run is at; while calls are still being "
        "stopped, also one that blocks its thread, the run says so.",
    ),
    "SERVE-many": Requirement(
        source=_SERVER,
        says="Hundreds of clients that drop and come back read exactly the log, and leave no stream, task, descriptor "
        "or memory behind.",
    ),
    "SERVE-probe": Requirement(
        source="HTML standard: server-sent events",
        says="A parser that shares no code with the library finds nothing wrong with a stream, and dense ids also "
        "over a dropped connection.",
    ),
    "SERVE-key": Requirement(
        source=_REPORTED, says="A start that is repeated with its key joins the run that is there, also for its stream."
    ),
    "SERVE-integers": Requirement(
        source=_REPORTED, says="An integer that a browser would round is said as text where the reader asks for it."
    ),
    "SERVE-matrix": Requirement(
        source=_SERVER,
        says="Every route asks who calls and whether they may; a foreign run is not found at any of them.",
    ),
    "SERVE-scopes": Requirement(
        source=_SERVER, says="One runner serves many scopes, and nothing of one is seen or changed from another."
    ),
    "SERVE-openapi": Requirement(
        source="ours", says="The published document names every route, and every answer is as it says."
    ),
    "SERVE-mount": Requirement(
        source=_SERVER, says="The server is mounted in an application of the user's own in three lines."
    ),
    "SERVE-command": Requirement(
        source=_SERVER, says="One command serves agents, says where, and lets their runs end when it is stopped."
    ),
    "SERVE-owner": Requirement(
        source=_SERVER, says="Commands over a store that is served go through the process that serves it."
    ),
}
