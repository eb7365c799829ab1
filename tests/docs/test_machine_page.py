"""The page of the machine and the machine say the same."""

from __future__ import annotations

import re

import pytest

from scripts.draw_machine import PAGE, diagram, drawn, table
from tests.behaviour.rows.machine import ROWS
from treadle.kernel.transitions import TRANSITIONS, Phase
from treadle.values.limits import DEFAULT_LIMITS, Limit

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_shows_the_table_as_it_is() -> None:
    """Ours: the diagram is drawn from the table; `python scripts/draw_machine.py write` draws it anew."""
    assert drawn(TEXT) == TEXT


def test_what_is_drawn_anew_is_the_same() -> None:
    """Ours: drawing twice changes nothing, and a page without its places is refused."""
    blank = TEXT.replace(diagram(), "").replace(table(), "")
    assert blank != TEXT
    assert drawn(blank) == TEXT
    with pytest.raises(ValueError, match="one place for the diagram"):
        drawn("# Another page")


def test_the_diagram_has_every_arrow_between_two_phases() -> None:
    """Ours: whole, not a selection."""
    arrows = {
        (here, there, kind)
        for here, there, kinds in re.findall(r"^    (\w+) --> (\w+): (.*)$", diagram(), re.MULTILINE)
        for kind in kinds.split(", ")
    }
    assert arrows == {
        (here.value, there.value, kind.__name__)
        for (here, kind), ends in TRANSITIONS.items()
        for there in ends
        if here is not there
    }


def test_the_page_has_every_phase_and_every_rule() -> None:
    """Ours: a phase or a rule that is not explained is not documented."""
    phases = TEXT.partition("## Where a run can stand")[2].partition("<!--")[0]
    assert re.findall(r"^\| `(\w+)` \|", phases, re.MULTILINE) == [phase.value for phase in Phase]
    rules = re.findall(r"^\| (EV-\d+) \|", TEXT, re.MULTILINE)
    assert rules == [rule for rule in ROWS if rule.startswith("EV-")]


def test_the_page_has_every_limit_with_its_default() -> None:
    """Ours: a limit that is on by default has a stated value."""
    limits = TEXT.partition("## Limits")[2].partition("\n## ")[0]
    told = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", limits, re.MULTILINE))
    assert set(told) == set(Limit)
    assert told == {
        Limit.ROUNDS: str(DEFAULT_LIMITS.rounds),
        Limit.TOOL_CALLS: str(DEFAULT_LIMITS.tool_calls),
        Limit.TOKENS: "none" if DEFAULT_LIMITS.tokens is None else str(DEFAULT_LIMITS.tokens),
        Limit.WALL_CLOCK: f"{DEFAULT_LIMITS.wall_clock_s:.0f} s",
        Limit.OUTPUT_BYTES: f"{(DEFAULT_LIMITS.output_bytes or 0) >> 20} MiB",
        Limit.STALL: f"{DEFAULT_LIMITS.stall_s:.0f} s",
    }
