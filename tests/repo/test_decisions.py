"""Decisions are short pages of one form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.repo.rules.tree import ROOT

HEADINGS = ["What forces us", "What we decide", "What follows", "How we would notice that it was wrong"]
LINES = 60


def problems(folder: Path) -> list[str]:
    """Say which pages are too long, of another form, or share a number."""
    found: list[str] = []
    numbers: set[str] = set()
    for path in sorted(folder.glob("*.md")):
        number = path.name[:4]
        text = path.read_text(encoding="utf-8")
        if not re.fullmatch(r"\d{4}(-[a-z0-9]+)+\.md", path.name) or number in numbers:
            found.append(f"{path.name}: not NNNN-the-decision.md with a number of its own")
        numbers.add(number)
        if len(text.splitlines()) > LINES:
            found.append(f"{path.name}: more than {LINES} lines")
        if re.findall(r"^## (.+)$", text, re.MULTILINE) != HEADINGS:
            found.append(f"{path.name}: its headings are not {', '.join(HEADINGS)}")
        if not re.match(rf"# {number}: .+\n\nStatus: (proposed|accepted|replaced by \d{{4}})", text):
            found.append(f"{path.name}: does not begin with its number, its name and its status")
    return found


def test_every_decision_has_the_form_of_the_template() -> None:
    """Ours: what forces us, what we decide, what follows, how we would notice."""
    assert problems(ROOT / "docs" / "adr") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one.md", None),
        ("0000-again.md", None),
        ("0001-long.md", "\n" * 60),
        ("0001-headings.md", "## Another\n"),
        ("0001-number.md", ""),
    ],
)
def test_a_page_of_another_form_is_found(tmp_path: Path, name: str, text: str | None) -> None:
    """Ours: the rule can fail."""
    template = (ROOT / "docs" / "adr" / "0000-template.md").read_text(encoding="utf-8")
    (tmp_path / "0000-a.md").write_text(template)
    number = "0000" if text in {None, ""} else name[:4]
    (tmp_path / name).write_text(template.replace("0000:", f"{number}:") + (text or ""))
    assert problems(tmp_path)
