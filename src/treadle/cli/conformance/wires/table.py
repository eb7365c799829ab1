"""The wires that a server speaks, in the order of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from treadle.app import mounts
from treadle.cli.conformance.cells import Cell, Wire, cells_of
from treadle.cli.conformance.rows import ROWS
from treadle.cli.conformance.wires import a2a, agui, mcp, openai, plain, vercel

ALL: Final = (plain.WIRE, agui.WIRE, vercel.WIRE, openai.WIRE, a2a.WIRE, mcp.WIRE)
WIRES: Final[Mapping[str, Wire]] = {wire.name: wire for wire in ALL if wire is plain.WIRE or wire.name in mounts.WIRES}


def cells(names: Sequence[str], *, agents: Sequence[str] = ()) -> list[Cell]:
    """The cells of these wires, of these agents alone where some are named."""
    found = [cell for name in names for cell in cells_of(WIRES[name], ROWS)]
    return [cell for cell in found if not agents or cell.row.agent in agents]
