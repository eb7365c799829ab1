"""All cells tried, a few at a time.

In: cells, and what runs one. Out: what was found, in the order of the cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from treadle.cli.conformance.cells import Absent, Cell
from treadle.cli.conformance.judging import Finding, Report, absent, failed, judged

AT_ONCE: Final = 2
"""How many clients run at the same time: each is a process that wants a core for a moment."""

Run = Callable[[Cell], Report]
"""Runs the client of a cell and gives its report. Raises `CallFailedError` where there is none."""


class CallFailedError(Exception):
    """A client could not be run, or printed no report. The message is one line."""


def lapped(cells: Sequence[Cell], run: Run, told: Callable[[Finding], None], *, at_once: int = AT_ONCE) -> list[Finding]:
    """Try all cells.

    Args:
        told: Is told each finding as soon as it is there, of whatever thread.
    """

    def tried(cell: Cell) -> Finding:
        finding = _tried(cell, run)
        told(finding)
        return finding

    # Left by an exception, such as Ctrl-C, it begins no more of them.
    pool = ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="treadle conformance")
    try:
        return list(pool.map(tried, cells))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _tried(cell: Cell, run: Run) -> Finding:
    if isinstance(cell.wanted, Absent):
        return absent(cell)
    try:
        return judged(cell, run(cell))
    except CallFailedError as error:
        return failed(cell, str(error))
