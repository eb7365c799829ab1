"""What is tried: one client, on one scripted agent, with one thing done while it answers; and what should come of it.

In: what each wire says of its clients. Out: cells, in the order of a table. Nothing is run here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Report = Mapping[str, Any]
"""What a script of the kit prints."""


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
class Stated:
    """One thing in which a control is known to differ from our server, in all of these cells.

    Shape: `rows` and `clients`: None is all of them, of a client by its name. `fields` are those of a comparison that
    differ, every one in every cell, unless `is_chance`: then each may. `verdict` is what a client reports of the
    control, where that is another.
    """

    reason: str
    fields: frozenset[str]
    rows: frozenset[Row] | None = None
    clients: frozenset[str] | None = None
    verdict: str | None = None
    is_chance: bool = False

    def is_of(self, client: Client, row: Row) -> bool:
        """Whether it is known of this cell."""
        return (self.rows is None or row in self.rows) and (self.clients is None or client.name in self.clients)


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A server of others that plays the scripted agents for the same clients, to hold ours against it.

    Shape: `script` is run by the Python of the kit, and serves at the paths of our server. `package` is the name under
    which the kit pins what it is made of. `clients` are the names of those that are driven against it.
    """

    name: str
    script: str
    package: str
    clients: frozenset[str]
    stated: tuple[Stated, ...] = ()

    def beside(self, client: Client, row: Row) -> Beside | None:
        """What is known of one cell; None: it is not tried."""
        if client.name not in self.clients:
            return None
        return Beside(control=self, stated=tuple(one for one in self.stated if one.is_of(client, row)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """How a client should find a control in one cell: it is told the same by both, but for what is stated."""

    control: Control
    stated: tuple[Stated, ...] = ()

    @property
    def fields(self) -> frozenset[str]:
        """What differs."""
        return frozenset[str]().union(*(one.fields for one in self.stated))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why."""
        return tuple(one.reason for one in self.stated)

    def verdict(self, usual: str) -> str:
        """What the client reports of the control, where it reports `usual` of our server."""
        return next((one.verdict for one in self.stated if one.verdict is not None), usual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One wire and its clients; and a server of others, if they are driven against one too."""

    name: str
    clients: tuple[Client, ...]
    control: Control | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One client in one row. It has an outcome and a way to it, or is absent.

    Shape: `beside` is what should come of it at the control of its wire; None: it is not tried there.
    """

    wire: str
    client: Client
    row: Row
    wanted: Outcome | Absent
    doing: Doing = Doing()
    beside: Beside | None = None

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
            control = None if isinstance(wanted, Absent) else wire.control
            beside = None if control is None else control.beside(client, row)
            yield Cell(wire=wire.name, client=client, row=row, wanted=wanted, doing=doing, beside=beside)
