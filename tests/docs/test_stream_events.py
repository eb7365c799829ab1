"""The page of stream events and the union say the same."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from treadle.projections.typed.events import STREAM_EVENT_TYPES, StreamEvent, ToolResult
from treadle.projections.typed.project import TOOL_TIMING
from treadle.projections.typed.wire import STREAM_SHAPES
from treadle.values.calls import ToolStatus
from treadle.values.events import EVENT_TYPES
from treadle.values.pauses import Settlement

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "stream-events.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def rows(section: str) -> list[str]:
    """The fields that a section's table lists."""
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def test_the_page_has_every_class_and_no_other() -> None:
    """Ours: the union is documented, whole."""
    assert sorted(SECTIONS) == sorted(kind.__name__ for kind in STREAM_EVENT_TYPES)


@pytest.mark.parametrize("kind", STREAM_EVENT_TYPES, ids=lambda kind: kind.type)
def test_the_page_has_every_field_and_no_other(kind: type[StreamEvent]) -> None:
    """Ours: what is in an event, in Python and in JSON, is on the page."""
    listed = rows(SECTIONS[kind.__name__])
    assert sorted(listed) == sorted(STREAM_SHAPES[kind])
    own = [name for name in listed if not (kind is ToolResult and name == "is_error")]
    assert own == [field.name for field in fields(kind)]


def test_the_page_says_what_every_kernel_event_says() -> None:
    """Ours: nothing of a run is left out in silence."""
    table = PAGE.partition("## What each kernel event says")[2].partition("##")[0]
    assert sorted(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE)))) == sorted(
        kind.kind for kind in EVENT_TYPES
    )


def test_the_page_has_the_closed_words() -> None:
    """Ours: a reader may rely on these."""
    assert all(f"`{status}`" in SECTIONS["ToolResult"] for status in ToolStatus)
    assert all(f"`{one}`" in SECTIONS["Resolved"] for one in Settlement)
    assert f"`{TOOL_TIMING}`" in SECTIONS["Extension"]
