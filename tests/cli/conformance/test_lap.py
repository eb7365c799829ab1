"""All cells tried, a few at a time."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.cli.conformance.kits import cell, control, report
from treadle.cli.conformance.cells import Absent, Beside, Cell, Row
from treadle.cli.conformance.judging import Finding
from treadle.cli.conformance.lap import AT_ONCE, CallFailedError, Servers, lapped

LONGEST_S = 10.0


def test_findings_come_in_the_order_of_the_cells_and_absent_ones_are_not_tried() -> None:
    """docs/cli.md: a table."""
    tried: list[str] = []

    def run(one: Cell) -> dict[str, Any]:
        tried.append(one.row.agent)
        if one.row.agent == "broken":
            raise CallFailedError("no report")
        return report("done")

    cells = [cell(row=Row(name)) for name in ("a", "broken", "c")] + [cell(Absent(reason="no"), row=Row("d"))]
    told: list[Finding] = []
    found = lapped(cells, Servers(ours=run), told.append)
    assert [one.cell for one in found] == cells
    assert [(one.verdict, one.problems) for one in found] == [
        ("done", ()), ("none", ("no report",)), ("done", ()), ("", ()),
    ]  # fmt: skip
    assert sorted(tried) == ["a", "broken", "c"]
    assert sorted(one.cell.label for one in told) == sorted(one.label for one in cells)


def test_so_many_clients_run_at_once_and_no_more() -> None:
    """docs/cli.md: two, so that a small machine keeps its time."""
    at_work, most = 0, 0
    lock, met = threading.Lock(), threading.Barrier(AT_ONCE)

    def run(_: Cell) -> dict[str, Any]:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        met.wait(LONGEST_S)
        with lock:
            at_work -= 1
        return report()

    lapped([cell(row=Row(str(number))) for number in range(4 * AT_ONCE)], Servers(ours=run), lambda _: None)
    assert most == AT_ONCE


def test_what_is_no_fault_of_a_client_ends_the_lap() -> None:
    """Ours: a bug of ours is not a verdict."""
    tried: list[str] = []

    def run(one: Cell) -> dict[str, Any]:
        tried.append(one.row.agent)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lapped([cell(row=Row(str(number))) for number in range(50)], Servers(ours=run), lambda _: None, at_once=1)
    assert len(tried) < 50


@pytest.mark.requirement("CONF-beside")
def test_a_cell_with_a_control_is_tried_against_both() -> None:
    """docs/cli.md: the same client, the same cell, and what it was told by each."""

    def ours(one: Cell) -> dict[str, Any]:
        if one.row.agent == "broken":
            raise CallFailedError("no report")
        return report("done")

    def theirs(one: Cell) -> dict[str, Any]:
        if one.row.agent == "lost":
            raise CallFailedError("it is gone")
        return report("error" if one.row.agent == "other" else "done")

    beside = Beside(control=control())
    cells = [cell(row=Row(name), beside=beside) for name in ("alike", "other", "lost", "broken")]
    servers = Servers(ours=ours, controls={"the other": theirs})
    found = lapped([*cells, cell(row=Row("alone"))], servers, lambda _: None)
    assert [one.comparison and (one.comparison.verdict, one.comparison.problems) for one in found] == [
        ("done", ()),
        ("error", ('the other differs in verdict: "error" there, "done" here',)),
        ("none", ("it is gone",)),
        None,
        None,
    ]
    assert [len(one.all_problems) for one in found] == [0, 1, 1, 1, 0]
