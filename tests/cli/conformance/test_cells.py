"""Cells of a table, from what each wire says of its clients."""

from __future__ import annotations

import pytest

from tests.cli.conformance.kits import ACTS, client, control, wire
from treadle.cli.conformance.cells import Absent, Act, Doing, Outcome, Row, Stated, cells_of

ROWS = {Row("text"): Outcome(verdict="done"), Row("text", Act.STOP): Outcome(verdict="cancelled")}


def test_a_client_is_expected_to_report_what_the_row_says_unless_it_says_otherwise() -> None:
    """docs/cli.md: an expected verdict a cell, or a reason why there is none."""
    stopping = ACTS | {Act.STOP: Doing(is_stopped=True)}
    odd = {Row("text"): Outcome(verdict="error"), Row("text", Act.STOP): Absent(reason="odd")}
    wired = wire(client("one"), client("two", acts=stopping), client("three", acts=stopping, differs=odd))
    found = [(cell.client.name, cell.row.act, cell.wanted, cell.doing) for cell in cells_of(wired, ROWS)]
    assert found == [
        ("one", "", Outcome(verdict="done"), Doing()),
        ("two", "", Outcome(verdict="done"), Doing()),
        ("three", "", Outcome(verdict="error"), Doing()),
        ("one", Act.STOP, Absent(reason=f"no {Act.STOP}"), Doing()),
        ("two", Act.STOP, Outcome(verdict="cancelled"), Doing(is_stopped=True)),
        ("three", Act.STOP, Absent(reason="odd"), Doing(is_stopped=True)),
    ]


def test_a_client_that_forgets_an_act_is_found() -> None:
    """Ours: a cell that nobody thought of is no cell that holds."""
    with pytest.raises(KeyError):
        list(cells_of(wire(client(acts={})), ROWS))


def test_no_two_cells_ask_the_same_or_share_a_thread() -> None:
    """Ours: a run is found by what it was asked, and told apart by what it answers."""
    found = list(cells_of(wire(client("one"), client("two")), ROWS))
    assert len({cell.prompt for cell in found}) == len({cell.key for cell in found}) == len(found) == 4
    assert all(cell.key.replace("-", "").isalnum() for cell in found)


@pytest.mark.requirement("CONF-beside")
def test_a_cell_knows_what_is_stated_of_its_control() -> None:
    """docs/matrix.md: what differs, in the cells that it names, and a reason for each."""
    everywhere = Stated(reason="a", fields=frozenset({"text"}))
    here = Stated(
        reason="b", fields=frozenset({"verdict", "task"}), rows=frozenset({Row("text")}), clients=frozenset({"two"}),
        verdict="error",
    )  # fmt: skip
    clients = (client("one"), client("two"), client("three"))
    found = cells_of(wire(*clients, control=control(everywhere, here, clients=("one", "two"))), ROWS)
    one, two, three, *absent = (cell.beside for cell in found)
    assert three is None
    assert absent == [None, None, None]
    assert one is not None
    assert two is not None
    assert (one.reasons, one.fields, one.verdict("done")) == (("a",), {"text"}, "done")
    assert (two.reasons, two.fields, two.verdict("done")) == (("a", "b"), {"text", "verdict", "task"}, "error")
    assert all(cell.beside is None for cell in cells_of(wire(*clients), ROWS))
