"""The table of the wires: total, and the same as the page in the docs."""

from __future__ import annotations

import json

import pytest

from tests.repo.rules.tree import ROOT
from treadle.app import mounts
from treadle.cli.conformance import page
from treadle.cli.conformance.cells import Absent, Act, Wire, cells_of
from treadle.cli.conformance.installing import pins, source
from treadle.cli.conformance.rows import ROWS
from treadle.cli.conformance.wires.table import ALL, WIRES, cells

VERDICTS = {"done", "paused", "cancelled", "error", "no_active_stream"}


@pytest.mark.requirement("CONF-page")
def test_the_page_in_the_docs_is_the_table() -> None:
    """docs/matrix.md is written by a lap: `treadle conformance --write docs/matrix.md`."""
    told = (ROOT / "docs" / "matrix.md").read_text(encoding="utf-8")
    assert told == page.markdown(page.expected(cells(list(WIRES))), pins(source()))


def test_every_wire_that_is_mounted_has_its_table() -> None:
    """Ours: a wire that no official client has tried is not yet spoken."""
    assert list(WIRES) == [wire.name for wire in ALL if wire.name in {"plain", *mounts.WIRES}]
    assert set(mounts.WIRES) <= set(WIRES)


@pytest.mark.parametrize("wire", ALL, ids=[wire.name for wire in ALL])
def test_each_cell_has_an_outcome_or_a_reason(wire: Wire) -> None:
    """docs/matrix.md: no cell is left out."""
    found = list(cells_of(wire, ROWS))
    assert len(found) == len(ROWS) * len(wire.clients)
    assert len({cell.key for cell in found}) == len(found)
    released, scripts = pins(source()), {path.name for path in source().iterdir()}
    for cell in found:
        assert cell.client.script in scripts
        assert cell.client.package in {"", *released}
        if isinstance(cell.wanted, Absent):
            assert cell.wanted.reason
        else:
            assert cell.wanted.verdict in VERDICTS
            assert cell.row.act is Act.NONE or cell.doing in cell.client.acts.values()


def test_the_wheel_holds_the_whole_kit() -> None:
    """docs/cli.md: the command works from an installed package."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    scripts = [path.name for path in source().iterdir() if path.suffix in {".py", ".mjs", ".json", ".txt"}]
    # What judges streams that a test makes is of use where the tests are.
    kit = [name for name in scripts if not name.startswith("verify_")]
    packed = "treadle/cli/conformance/clients"
    assert [name for name in kit if f'"conformance/{name}" = "{packed}/{name}"' not in settings] == []


def test_a_body_that_is_posted_stays_json_with_its_places_filled() -> None:
    """Ours: prompts and names of cells need no escapes."""
    for wire in ALL:
        for cell in cells_of(wire, ROWS):
            for word in (cell.prompt, cell.key, cell.row.agent):
                assert json.loads(f'"{word}"') == word
