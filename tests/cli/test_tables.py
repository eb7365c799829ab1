"""Rows of cells to aligned lines."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from treadle.cli.tables import LONGEST_CELL, moment, table

CELLS = st.text(st.sampled_from("ab \n\t\x1b[31m]\x9b\u2028é漢[/red]"), max_size=80)


@given(st.lists(st.tuples(CELLS, st.integers(0, 999).map(str)), min_size=1, max_size=4))
def test_every_row_is_one_line_and_the_columns_stand_under_each_other(rows: list[tuple[str, str]]) -> None:
    """Ours: whatever a cell says, a list reads as one, in every script."""
    lines = table(("NAME", "N"), rows, terminal=False).split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(rows) + 1
    assert all(re.search("[\x00-\x1f\x7f-\x9f\u2028]", line) is None for line in lines)
    assert len({cell_len(line[: line.rindex(" ")]) for line in lines}) == 1
    assert [line.rsplit(" ", 1)[1] for line in lines] == ["N", *(number for _, number in rows)]


def test_a_table_without_rows_is_empty() -> None:
    """Ours: heads over nothing tell nothing."""
    assert table(("A", "B"), [], terminal=True) == ""


def test_a_long_cell_is_cut_and_says_so() -> None:
    """Ours: a question of a page does not push the columns off the screen."""
    shown = table(("A",), [("x" * 500,)], terminal=False).splitlines()[1]
    assert shown == f"{'x' * LONGEST_CELL}… (500 characters)"


def test_states_are_coloured_in_their_own_column_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: what a caller calls a thread says nothing about its run."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    shown = table(("THREAD", "STATE"), [("done", "done"), ("error", "ready")], terminal=True)
    assert shown.splitlines()[1:] == ["done    \x1b[32mdone\x1b[0m", "error   ready"]


def test_no_line_ends_in_blanks() -> None:
    """Ours: what is copied from a list is what is seen."""
    assert table(("A", "B"), [("x", "")], terminal=False) == "A  B\nx\n"


@pytest.mark.parametrize(
    ("at_s", "said"),
    [(0.0, "1970-01-01 00:00:00Z"), (86_399.9, "1970-01-01 23:59:59Z"), (1e300, "1e+300 s"), (float("nan"), "nan s")],
)
def test_a_moment_is_said_in_utc_and_by_its_number_where_no_calendar_has_it(at_s: float, said: str) -> None:
    """Ours: an imported run may bring any number."""
    assert moment(at_s) == said
