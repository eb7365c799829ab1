"""The page of kernel events and the union say the same."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.events import CLOSING_TYPES, EVENT_TYPES, KernelEvent
from treadle.values.pauses import PendingInterrupt, Resolution, Settlement

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "events.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
ON_EVERY_EVENT = ["index", "run_id"]


def rows(section: str) -> list[str]:
    """The fields that a section's table lists."""
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def test_the_page_has_every_class_and_no_other() -> None:
    """Ours: the union is documented, whole."""
    assert sorted(SECTIONS) == sorted(kind.__name__ for kind in EVENT_TYPES)


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.kind)
def test_the_page_has_every_field_and_no_other(kind: type[KernelEvent]) -> None:
    """Ours: what is on an event is on the page, in its order; its kind comes first."""
    section = SECTIONS[kind.__name__]
    assert section.strip().startswith(f"`{kind.kind}`: ")
    assert [*ON_EVERY_EVENT, *rows(section)] == [field.name for field in fields(kind)]


def test_the_closing_events_stand_together() -> None:
    """Ours: a reader learns at one place how a segment can end."""
    end = PAGE.partition("## The end of a segment")[2]
    assert re.findall(r"^### (\w+)$", end, re.MULTILINE) == [
        kind.__name__ for kind in EVENT_TYPES if kind in CLOSING_TYPES
    ]


def test_the_page_has_the_closed_words() -> None:
    """Ours: a reader may rely on these."""
    assert all(f"`{status}`" in SECTIONS["ToolResult"] for status in ToolStatus)
    assert all(f"`{one}`" in SECTIONS["Resumed"] for one in Settlement)


@pytest.mark.parametrize(
    ("kind", "section", "left_out"),
    [
        (Resolution, "Resumed", set()),
        (PendingInterrupt, "AskUser", set()),
        (ToolOutcome, "ToolResult", set()),
        # Damage never reaches a dispatched call.
        (ToolRequest, "ToolCall", {"raw_arguments", "damage"}),
    ],
)
def test_the_page_has_the_fields_of_the_values_on_events(kind: type, section: str, left_out: set[str]) -> None:
    """Ours: a value is explained where it is met."""
    named = set(re.findall(r"`(\w+)`", SECTIONS[section]))
    assert {field.name for field in fields(kind)} - left_out <= named
