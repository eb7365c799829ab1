"""Findings as tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cli.conformance.kits import ACTS, cell, client, control, wire
from treadle.cli.conformance import page
from treadle.cli.conformance.beside import not_compared
from treadle.cli.conformance.cells import Absent, Act, Doing, Outcome, Row, Stated, cells_of
from treadle.cli.conformance.judging import Finding, failed

ROWS = {Row("text"): Outcome(verdict="done"), Row("text", Act.STOP): Outcome(verdict="cancelled")}
CLIENTS = (client("one", package="pack"), client("two", acts=ACTS | {Act.STOP: Doing(is_stopped=True)}))


def test_a_table_for_people_marks_what_is_wrong() -> None:
    """docs/cli.md: a table a wire; what is wrong is told below it."""
    found = page.expected(cells_of(wire(*CLIENTS), ROWS))
    assert page.for_people(found, terminal=False).splitlines() == [
        "WIRED                         one   two",
        "text                          done  done",
        "text   stopped by the server  n/a   cancelled",
    ]
    assert list(page.problems(found)) == []
    broken = [failed(one.cell, "it crashed") if one is found[0] else one for one in found]
    assert "none !" in page.for_people(broken, terminal=False)
    assert list(page.problems(broken)) == ["wired one text: it crashed"]
    alone = [Finding(cell=cell(), verdict="done")]
    assert page.for_people([*alone, found[3]], terminal=False).count("n/a") == 2


def test_the_page_says_releases_and_why_a_cell_is_not_there() -> None:
    """docs/matrix.md: an expected verdict a cell, or n/a and the reason."""
    twice = [*cells_of(wire(*CLIENTS), ROWS)]
    told = page.markdown(page.expected(twice), {"pack": "1.2.3"})
    assert told.startswith("# The matrix\n")
    assert told.endswith(
        "## wired\n\n| agent | | one<br>`pack` 1.2.3 | two |\n|---|---|---|---|\n| `text` |  | done | done |\n"
        "| `text` | stopped by the server | n/a (1) | cancelled |\n\n1. no stopped by the server\n"
    )
    assert isinstance(twice[2].wanted, Absent)


@pytest.mark.requirement("CONF-beside")
def test_a_control_has_a_table_of_its_own_with_what_differs_and_why() -> None:
    """docs/matrix.md: alike, or how it ends there and a note; what is not tried is not left out."""
    stated = (
        Stated(reason="slow", fields=frozenset({"verdict"}), rows=frozenset({Row("text")}), verdict="truncated"),
        Stated(reason="now and then", fields=frozenset({"seam"}), rows=frozenset({Row("tool")}), is_chance=True),
    )
    rows = {**ROWS, Row("tool"): Outcome(verdict="done"), Row("error"): Outcome(verdict="error")}
    wired = wire(*CLIENTS, control=control(*stated, clients=("one",)))
    found = page.expected(cells_of(wired, rows))
    told = page.markdown(found, {"pack": "1.2.3"})
    assert "## wired beside the other\n\nWhat the same clients are told by a server" in told
    assert "the parts of `pack` 1.2.3 alone" in told
    assert told.endswith(
        "\n\n| agent | | one |\n|---|---|---|\n| `text` |  | truncated (1) |\n"
        "| `text` | stopped by the server | n/a (2) |\n"
        "| `tool` |  | alike (3) |\n| `error` |  | alike |\n\n1. slow\n2. no stopped by the server\n3. now and then\n"
    )
    broken = [replace(one, comparison=not_compared("it is gone")) if one is found[0] else one for one in found]
    assert [line.split()[-1] for line in page.for_people(broken, terminal=False).split("\n\n")[1].splitlines()] == [
        "one", "!", "n/a", "alike", "alike",
    ]  # fmt: skip
    assert list(page.problems(broken)) == ["wired one text: it is gone"]
    unfound = [failed(one.cell, "it crashed") if one is found[0] else one for one in found]
    assert page.for_people(unfound, terminal=False).split("\n\n")[1].splitlines()[1].split()[-1] == "n/a"
