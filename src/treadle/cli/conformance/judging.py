"""A client's report, held against what should have come.

In: a cell and the report of its client. Out: what was found, and every problem with it in words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from treadle.cli.conformance.beside import Comparison
from treadle.cli.conformance.cells import Absent, Cell, Report
from treadle.cli.conformance.rows import filled
from treadle.testing.faults.steps import LEAK_MARK

SHOWN_CHARS: Final = 200
"""Of a text that is not the expected one, so much is told, from its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What came of one cell. An absent one is found as nothing and has no problem.

    Shape: `comparison` is what came of it beside its control; None where it was not tried there.
    """

    cell: Cell
    verdict: str
    problems: tuple[str, ...] = ()
    comparison: Comparison | None = None

    @property
    def all_problems(self) -> tuple[str, ...]:
        """Its own, and those beside its control."""
        return (*self.problems, *(self.comparison.problems if self.comparison is not None else ()))


def judged(cell: Cell, report: Report) -> Finding:
    """What a report shows of its cell."""
    assert not isinstance(cell.wanted, Absent), cell.label
    verdict = str(report.get("verdict"))
    return Finding(cell=cell, verdict=verdict, problems=tuple(_problems(cell, report, verdict)))


def absent(cell: Cell) -> Finding:
    """A cell that is not tried."""
    return Finding(cell=cell, verdict="")


def failed(cell: Cell, why: str) -> Finding:
    """A cell whose client could not be run, or printed no report."""
    return Finding(cell=cell, verdict="none", problems=(why,))


def _problems(cell: Cell, report: Report, verdict: str) -> Iterator[str]:
    wanted = cell.wanted
    assert not isinstance(wanted, Absent)
    if verdict != wanted.verdict:
        error = report.get("error")
        yield f"verdict {verdict}, expected {wanted.verdict}" + (f": {json.dumps(error)}" if error else "")
    for one in report.get("violations") or ():
        yield f"{one['by']}: {one['rule']}: {one['detail']}"
    if LEAK_MARK in json.dumps(report):
        yield "a client was shown words that are for operators alone"
    if wanted.says is not None:
        yield from _text_problems(filled(wanted.says, cell.prompt), tuple(texts(report)))


def _text_problems(said: str, told: Sequence[str]) -> Iterator[str]:
    if said not in told:
        shown = " or ".join(repr(text[-SHOWN_CHARS:]) for text in dict.fromkeys(told)) or "nothing"
        yield f"expected the text {said[-SHOWN_CHARS:]!r}, came {shown}"


def texts(report: Report) -> Iterator[str]:
    """What a client may call the text of the answer: all deltas joined, and what it has put together itself."""
    yield str(report.get("text", ""))
    if isinstance(final := report.get("final_text"), str):
        yield final
    for artifact in report.get("aggregated") or ():
        yield str(artifact.get("text", ""))
    messages = [one for one in report.get("new_messages") or () if one.get("role") == "assistant"]
    if messages:
        yield "".join(one["content"] for one in messages if isinstance(one.get("content"), str))
