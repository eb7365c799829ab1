"""The probe as a column."""

from __future__ import annotations

import json

from tests.cli.conformance.kits import wire
from treadle.cli.conformance.cells import Absent, Act, Row, cells_of
from treadle.cli.conformance.rows import ROWS
from treadle.cli.conformance.wires.probing import prober


def test_it_posts_a_body_and_says_done_of_every_stream_that_ends() -> None:
    """conformance/README.md: it knows bytes and no events."""
    probe = prober("{url}/x", {"q": "{prompt}"}, whose="openai", name="bytes")
    assert (probe.name, probe.address, json.loads(probe.words[1])) == ("bytes", "{url}/x", {"q": "{prompt}"})
    assert probe.words[2:] == ("--for", "openai")
    tried = {cell.row: cell.wanted for cell in cells_of(wire(probe), ROWS) if not isinstance(cell.wanted, Absent)}
    assert {wanted.verdict for wanted in tried.values()} == {"done"}
    assert set(tried) == {row for row in ROWS if row.act is Act.NONE} | {Row("cancel", Act.STOP)}
