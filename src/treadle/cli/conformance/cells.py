"""What is tried: one client, on one scripted agent, with one thing done while it answers; and what should come of it.

In: what each wire says of its clients. Out: cells, in the order of a table. Nothing is run here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum



class Needs(StrEnum):
    """What a client has to be installed by."""

    NOTHING = "nothing"
    NODE = "node"
    PYTHON = "python"


class Act(StrEnum):
    """What is done while a run is read. The values are words of the table."""

    NONE = ""
    COME_BACK = "leave, come back"
    COME_LATE = "come back when all is read"
    ANSWER = "answer"
    DISMISS = "dismiss"
    APPROVE = "approve"
    DENY = "deny"
    STOP = "stopped by the server"
    OWN_STOP = "stopped by the client"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table, the same for all clients."""

    agent: str
    act: Act = Act.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a client should report.

    Shape: `says` is the text that it should have in the end, with `{prompt}` and `{prompt!r}` in it; None where that is
    not compared.
    """

    verdict: str
    says: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """How a client does an act.

    Shape: `words` are more words of its command line, `before` those of a call of it that is made first.
    """

    words: tuple[str, ...] = ()
    before: tuple[str, ...] | None = None
    is_stopped: bool = False
    """The run is stopped by the server's own route while the client reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """There is no such cell, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client as it is used on one wire: a column.

    Shape: in `address` and in words, `{url}` is the server's, `{agent}`, `{prompt}`, `{key}` (a name of this cell
    alone) and `{run}` (where `starts` is set: a run that is started beforehand) are those of the cell. `package` is the
    name under which the kit pins what it drives. `acts` says how it does each act, or an act in one row
    alone; `differs` where its outcome is not that of the row.
    """

    name: str
    script: str
    address: str
    words: tuple[str, ...]
    needs: Needs
    package: str = ""
    starts: bool = False
    acts: Mapping[Act | Row, Doing | Absent] = field(default_factory=dict)
    differs: Mapping[Row, Outcome | Absent] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One wire and its clients."""

    name: str
    clients: tuple[Client, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One client in one row. It has an outcome and a way to it, or is absent."""

    wire: str
    client: Client
    row: Row
    wanted: Outcome | Absent
    doing: Doing = Doing()

    @property
    def label(self) -> str:
        """What it is called."""
        return " ".join(filter(None, (self.wire, self.client.name, self.row.agent, self.row.act)))

    @property
    def prompt(self) -> str:
        """What its run is asked: no two cells ask the same."""
        return f"hello from {self.label}"

    @property
    def key(self) -> str:
        """A name for its thread."""
        return "".join(sign if sign.isalnum() else "-" for sign in self.label)


def cells_of(wire: Wire, rows: Mapping[Row, Outcome]) -> Iterator[Cell]:
    """The cells of a wire, row by row.

    Raises:
        KeyError: A client does not say how it does an act.
    """
    for row, usual in rows.items():
        for client in wire.clients:
            doing = Doing() if row.act is Act.NONE else client.acts.get(row) or client.acts[row.act]
            wanted: Outcome | Absent = client.differs.get(row, usual)
            if isinstance(doing, Absent):
                wanted, doing = doing, Doing()
            yield Cell(wire=wire.name, client=client, row=row, wanted=wanted, doing=doing)
