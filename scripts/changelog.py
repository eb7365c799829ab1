"""Changelog fragments: one file a change that a user notices.

    python scripts/changelog.py check            every fragment is well formed
    python scripts/changelog.py build DATE       moves the fragments into CHANGELOG.md under the present version

A fragment is `changelog.d/SLUG.KIND.md`: one paragraph, from the user's side, in the past tense.
"""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("added", "changed", "fixed", "removed", "security")
MARK = "<!-- the newest version comes below this line -->\n"

_NAME = re.compile(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(KINDS)})\.md")


def problems(root: Path) -> list[str]:
    """Say what is wrong with the fragments and the changelog of a tree."""
    found = [problem for path in fragments(root) for problem in _fragment_problems(path)]
    if MARK not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        found.append(f"CHANGELOG.md: the line {MARK.strip()!r} is missing")
    return found


def fragments(root: Path) -> list[Path]:
    """List the fragments, by kind and then by name."""
    paths = [path for path in (root / "changelog.d").iterdir() if path.name != "README.md"]
    return sorted(paths, key=lambda path: (path.suffixes[:1], path.name))


def assembled(root: Path, version: str, date: str) -> str:
    """Say the changelog with the fragments under a version of their own."""
    lines = [f"## {version} ({date})\n"]
    for kind in KINDS:
        texts = [
            path.read_text(encoding="utf-8").strip() for path in fragments(root) if path.name.endswith(f".{kind}.md")
        ]
        if texts:
            lines += [f"\n### {kind.capitalize()}\n", *(f"\n- {text}" for text in texts), "\n"]
    before, after = (root / "CHANGELOG.md").read_text(encoding="utf-8").split(MARK)
    return f"{before}{MARK}\n{''.join(lines)}{after}"


def _fragment_problems(path: Path) -> list[str]:
    if not _NAME.fullmatch(path.name):
        return [f"{path.name}: not called SLUG.KIND.md, with KIND one of {', '.join(KINDS)}"]
    text = path.read_text(encoding="utf-8")
    found = []
    if not text.strip():
        found.append(f"{path.name}: empty")
    elif not text.strip().endswith("."):
        found.append(f"{path.name}: not a sentence that ends in a full stop")
    if "\n\n" in text.strip() or text.lstrip().startswith(("#", "-", "*")):
        found.append(f"{path.name}: not one plain paragraph")
    return found


def _build(date: str) -> None:
    version = runpy.run_path(str(ROOT / "src" / "treadle" / "_version.py"))["__version__"]
    (ROOT / "CHANGELOG.md").write_text(assembled(ROOT, version, date), encoding="utf-8")
    for path in fragments(ROOT):
        path.unlink()


if __name__ == "__main__":
    if sys.argv[1:] != ["check"] and not (len(sys.argv) == 3 and sys.argv[1] == "build"):
        raise SystemExit(__doc__)
    if told := problems(ROOT):
        raise SystemExit("\n".join(told))
    if sys.argv[1] == "build":
        _build(sys.argv[2])
