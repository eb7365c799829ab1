"""Changelog fragments are well formed, and a malformed one is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.changelog import MARK, assembled, problems
from tests.repo.rules.tree import ROOT


def test_every_fragment_is_well_formed() -> None:
    """Ours: a release writes the changelog from the fragments, so each is ready to be read by a user."""
    assert problems(ROOT) == []


def _planted(tmp_path: Path, **fragments: str) -> Path:
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{MARK}\n## 0.1.0\n")
    for name, text in fragments.items():
        (tmp_path / "changelog.d" / name.replace("__", ".").replace("_", "-")).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a__improved__md", "Kept the text."),
        ("A__fixed__md", "Kept the text."),
        ("a__fixed__txt", "Kept the text."),
        ("a__fixed__md", ""),
        ("a__fixed__md", "Kept the text"),
        ("a__fixed__md", "Kept the text.\n\nAnd more."),
        ("a__fixed__md", "- Kept the text."),
    ],
)
def test_a_malformed_fragment_is_found(tmp_path: Path, name: str, text: str) -> None:
    """Ours: the rule can fail."""
    assert len(problems(_planted(tmp_path, **{name: text}))) == 1


def test_a_release_gathers_the_fragments_by_kind(tmp_path: Path) -> None:
    """Ours: security and fixes are found where they are looked for, older versions stay below."""
    root = _planted(tmp_path, b__fixed__md="Kept `b`.\n", a__added__md="Added `a`.\n", c__fixed__md="Kept `c`.\n")
    assert assembled(root, "0.2.0", "a day") == (
        f"# Changelog\n\n{MARK}\n## 0.2.0 (a day)\n"
        "\n### Added\n\n- Added `a`.\n\n### Fixed\n\n- Kept `b`.\n- Kept `c`.\n\n## 0.1.0\n"
    )
