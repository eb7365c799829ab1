"""Rows of cells to aligned lines for people, and moments to words.

Cells may be anybody's text: each is made safe for a terminal and cut before its width is measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from rich.cells import cell_len
from rich.style import Style

from treadle.cli import foreign_text
from treadle.cli.ink import BAD, DIM, GOOD, ODD, PLAIN, Ink
from treadle.values.runs import RunStatus

LONGEST_CELL: Final = 60
"""Characters of a cell that are shown."""
GAP: Final = "  "
STATE: Final = "STATE"
STATE_STYLES: Final[Mapping[str, Style]] = {
    RunStatus.DONE.value: GOOD,
    RunStatus.ERROR.value: BAD,
    RunStatus.CANCELLED.value: ODD,
    RunStatus.WAITING.value: ODD,
}
"""The colours of words in the column `STATE`."""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, terminal: bool) -> str:
    """Lines with aligned columns under their heads, no blanks at their ends; "" where there are no rows."""
    if not rows:
        return ""
    shown = [[foreign_text.line(cell, longest_chars=LONGEST_CELL) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(heads, *shown, strict=True)]
    ink = Ink(terminal=terminal)
    _put(ink, heads, [DIM] * len(heads), widths=widths)
    for row in shown:
        styles = [
            STATE_STYLES.get(cell, PLAIN) if head == STATE else PLAIN for head, cell in zip(heads, row, strict=True)
        ]
        _put(ink, row, styles, widths=widths)
    return "\n".join(line.rstrip() for line in ink.taken().split("\n"))


def moment(at_s: float) -> str:
    """A time for people, in UTC and whole seconds; the bare number where no calendar has it.

    Units: `at_s` is UTC seconds.
    """
    try:
        return datetime.fromtimestamp(at_s, tz=UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return f"{at_s} s"


def _put(ink: Ink, cells: Sequence[str], styles: Sequence[Style], *, widths: Sequence[int]) -> None:
    for cell, style, width in zip(cells, styles, widths, strict=True):
        ink.put(cell, style)
        ink.put(" " * (width - cell_len(cell)) + GAP)
    ink.put("\n")
