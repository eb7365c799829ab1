"""All cells tried, a few at a time.

In: cells, and what runs one against our server, and against the control of each wire. Out: what was found, in the order
of the cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final

from treadle.cli.conformance.beside import Comparison, compared, not_compared
from treadle.cli.conformance.cells import Absent, Beside, Cell, Report
from treadle.cli.conformance.judging import Finding, absent, failed, judged

AT_ONCE: Final = 2
"""How many clients run at the same time: each is a process that wants a core for a moment."""

Run = Callable[[Cell], Report]
"""Runs the client of a cell and gives its report. Raises `CallFailedError` where there is none."""


class CallFailedError(Exception):
    """A client could not be run, or printed no report. The message is one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """What runs the client of a cell against each server.

    Shape: `controls` by the name of each.
    """

    ours: Run
    controls: Mapping[str, Run] = field(default_factory=dict)


def lapped(
    cells: Sequence[Cell], servers: Servers, told: Callable[[Finding], None], *, at_once: int = AT_ONCE
) -> list[Finding]:
    """Try all cells, each against its control as well where it has one.

    Args:
        told: Is told each finding as soon as it is there, of whatever thread.
    """

    def tried(cell: Cell) -> Finding:
        finding = _tried(cell, servers)
        told(finding)
        return finding

    # Left by an exception, such as Ctrl-C, it begins no more of them.
    pool = ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="treadle conformance")
    try:
        return list(pool.map(tried, cells))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _tried(cell: Cell, servers: Servers) -> Finding:
    if isinstance(cell.wanted, Absent):
        return absent(cell)
    try:
        report = servers.ours(cell)
    except CallFailedError as error:
        return failed(cell, str(error))
    finding = judged(cell, report)
    if cell.beside is None:
        return finding
    return replace(finding, comparison=_compared(cell, cell.beside, report, servers.controls[cell.beside.control.name]))


def _compared(cell: Cell, beside: Beside, report: Report, control: Run) -> Comparison:
    try:
        return compared(cell.row, beside, here=report, there=control(cell))
    except CallFailedError as error:
        return not_compared(str(error))
