"""Cells, reports and clients of a test's own: shared by the tests of the command `conformance`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.cli.conformance.cells import (
    Absent,
    Act,
    Beside,
    Cell,
    Client,
    Control,
    Doing,
    Needs,
    Outcome,
    Row,
    Stated,
    Wire,
)

ACTS = {act: Absent(reason=f"no {act}") for act in Act if act is not Act.NONE}


def client(name: str = "reader", **more: Any) -> Client:  # noqa: ANN401 (fields of a client)
    """A client that can do nothing but read."""
    given: dict[str, Any] = {
        "script": "one.py",
        "address": "{url}/{agent}",
        "words": ("--message", "{prompt}"),
        "needs": Needs.NOTHING,
        "acts": ACTS,
    }
    return Client(name=name, **(given | more))


DONE = Outcome(verdict="done")
TEXT = Row("text")
READ = Doing()


def cell(
    wanted: Outcome | Absent = DONE,
    *,
    row: Row = TEXT,
    doing: Doing = READ,
    beside: Beside | None = None,
    **more: Any,  # noqa: ANN401 (fields of a client)
) -> Cell:
    """One cell."""
    return Cell(wire="wired", client=client(**more), row=row, wanted=wanted, doing=doing, beside=beside)


def report(verdict: str = "done", **more: Any) -> dict[str, Any]:  # noqa: ANN401 (parts of a report)
    """What a script prints."""
    return {"verdict": verdict, "text": "", "violations": [], "error": None, **more}


def wire(*clients: Client, control: Control | None = None) -> Wire:
    """A wire with these clients."""
    return Wire(name="wired", clients=clients, control=control)


def control(*stated: Stated, clients: Sequence[str] = ("reader",)) -> Control:
    """A server of others, against which these clients are driven."""
    return Control(name="the other", script="other.py", package="pack", clients=frozenset(clients), stated=stated)
