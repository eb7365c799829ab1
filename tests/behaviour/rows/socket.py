"""Several runs on one socket."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_OURS = "docs/protocols/socket.md"

ROWS: dict[str, Requirement] = {
    "SOCKET-runs": Requirement(
        source=_OURS, says="Several runs are read on one socket, each as the lines of its stream say it."
    ),
    "SOCKET-cursor": Requirement(
        source=_OURS,
        says="For any interleaving of several runs and any cut, what came before it and what comes behind the cursor "
        "is the run, dense and whole.",
    ),
    "SOCKET-fair": Requirement(source=_OURS, says="A long run does not hold up a short one on the same socket."),
    "SOCKET-leave": Requirement(
        source=_OURS, says="To leave a run on a socket is a reader's leaving; the others go on, and so does the run."
    ),
    "SOCKET-bounds": Requirement(
        source=_OURS, says="Runs on a socket, sockets and messages are bounded, and each run takes a reader's place."
    ),
    "SOCKET-quiet": Requirement(
        source=_OURS, says="Silence is broken every three seconds; a socket on which nothing is read is closed."
    ),
    "SOCKET-frozen": Requirement(
        source=_OURS, says="A client that takes nothing is ended in its time, and misses nothing when it comes back."
    ),
    "SOCKET-stop": Requirement(source=_OURS, says="A server that stops closes its sockets and says that it does."),
    "SOCKET-broken": Requirement(
        source=_OURS, says="A run whose log cannot be read is over on the socket, and the others go on."
    ),
    "SOCKET-access": Requirement(
        source=_OURS,
        says="Who asks is asked at the handshake and at each read; a ticket opens one run; who may not any more is "
        "ended.",
    ),
    "SOCKET-guards": Requirement(
        source=_OURS, says="Hosts, origins and foreign machines are refused before a socket is accepted."
    ),
    "SOCKET-servers": Requirement(source=_OURS, says="Sockets work on uvicorn, hypercorn and granian."),
}
