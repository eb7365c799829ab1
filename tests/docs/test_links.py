"""Links between the project's pages lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "changelog.d").glob("README.md")])

_LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def dead_links(page: Path) -> list[str]:
    """List the links of a page to files, or to headings of files, that are not there."""
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    return [link for link in _LINK.findall(text) if "://" not in link and not _leads_somewhere(page, link)]


def _leads_somewhere(page: Path, link: str) -> bool:
    name, _, heading = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not heading or not target.is_file():
        return target.exists()
    titles = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
    return heading in {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_page_that_is_there(page: Path) -> None:
    """Ours: a reader follows links."""
    assert dead_links(page) == []


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    """Ours: the rule can fail, for files and for headings."""
    (tmp_path / "a.md").write_text("# Two Words\n[b](b.md) [c](#two-words) [d](a.md#three) `[e](e.md)` [f](x://f)\n")
    assert dead_links(tmp_path / "a.md") == ["b.md", "a.md#three"]
