"""What is known of the control of A2A."""

from __future__ import annotations

import pytest

from treadle.cli.conformance.beside import told
from treadle.cli.conformance.cells import Needs, cells_of
from treadle.cli.conformance.installing import pins, source
from treadle.cli.conformance.rows import ROWS
from treadle.cli.conformance.wires.a2a import PROBE, WIRE
from treadle.cli.conformance.wires.a2a_control import CONTROL, PYTHON

pytestmark = pytest.mark.requirement("CONF-beside")


def test_all_official_clients_are_driven_against_it() -> None:
    """docs/matrix.md: each column but that of the probe, in every cell that is tried at all."""
    assert {client.name for client in WIRE.clients if client is not PROBE} == CONTROL.clients
    assert {client.name for client in WIRE.clients if client.needs is Needs.PYTHON} == PYTHON
    assert WIRE.control is CONTROL
    assert CONTROL.package in pins(source())
    assert (source() / CONTROL.script).is_file()


def test_it_shares_nothing_with_this_library() -> None:
    """conformance/README.md: what it tells is told by others."""
    assert "treadle" not in (source() / CONTROL.script).read_text(encoding="utf-8")


@pytest.mark.parametrize("stated", CONTROL.stated, ids=[one.reason[:20] for one in CONTROL.stated])
def test_what_is_stated_is_of_some_cells_and_of_fields_that_are_compared(stated: object) -> None:
    """Ours: a statement that touches no cell is held to nothing."""
    cells = [cell for cell in cells_of(WIRE, ROWS) if cell.beside is not None and stated in cell.beside.stated]
    assert cells
    for cell in cells:
        assert cell.beside is not None
        assert cell.beside.fields <= {*told({}), "seam"}
