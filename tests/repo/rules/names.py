"""What files are called, and which words stand nowhere in the project.

In: the files of a work tree. Out: findings.
"""

from __future__ import annotations

import re
from pathlib import Path

EMPTY_NAMES = frozenset({"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"})

# Hosts of package registries, and places of single machines: a project that names one works in one place only.
# Each is spelled in two parts, so that this file may stand in the tree it looks through.
PLACES = tuple(
    left + right
    for left, right in (
        ("py", "pi.org"),
        ("py", "thonhosted.org"),
        ("py", "pi.python.org"),
        ("npm", "js.org"),
        ("npm", "js.com"),
        ("yarn", "pkg.com"),
        ("crates", ".io"),
        ("deb", ".debian.org"),
        ("/work", "/"),
        ("/opt", "/wheels"),
        ("/opt", "/pypi"),
        ("/root", "/"),
        ("/tmp/", "tv/"),
        ("/tmp/", "brief"),
    )
)
_INDEX_OPTION = re.compile(r"^\s*(-i|-f|--(extra-)?index-url|--find-links|--index|--trusted-host)\b", re.MULTILINE)


def empty_names(path: Path) -> list[str]:
    """A module that cannot be named has not been found yet."""
    named = {path.stem, *path.parent.parts[-1:]}
    return [f"{path}: {name!r} says nothing" for name in sorted(named & EMPTY_NAMES)]


def named_places(path: Path) -> list[str]:
    """No host of a registry and no path of one machine stands anywhere."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return []
    return [f"{path}: names {place!r}" for place in PLACES if place in text]


def loose_locks(path: Path) -> list[str]:
    """A lock pins every package with hashes, and says nothing of where to get it."""
    text = path.read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", re.sub(r"^\s*#.*\n?", "", text, flags=re.MULTILINE).strip())
    return [f"{path}: names an index: {match[0].strip()!r}" for match in _INDEX_OPTION.finditer(text)] + [
        f"{path}: not pinned with a hash: {entry.splitlines()[0]!r}"
        for entry in entries
        if "==" not in entry or "--hash=sha256:" not in entry
    ]
