"""Comments and docstrings are rules and reasons, never history.

In: Python files. Out: findings. Versions, tickets, dates, addresses of lines and things left to do belong to the
version control and the tracker; an ignored rule says why on its line.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from tests.repo.rules.tree import syntax

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"

HISTORY = {
    "a version": re.compile(
        r"\bv\d+\.\d+|(?<![\w.])\d+\.\d+\.\d+(?![\w.])|\b(since|until|in) version \d", re.IGNORECASE
    ),
    "a ticket": re.compile(r"(?<![\w&])#\d+\b|\b(issue|ticket|PR|GH)[ -]#?\d+", re.IGNORECASE),
    # A protocol that names its revisions by dates is named by them.
    "a date": re.compile(
        r"(?<!MCP )(?<!revision )(?<!schema )(?<!Schema )(?<!draft )\b(19|20)\d\d-\d\d(-\d\d)?\b"
        rf"|\b({_MONTH}) (\d\d?, )?(19|20)\d\d\b"
    ),
    "the address of a line": re.compile(r"\.py:\d+|\blines? \d+\b|\bL\d+\b"),
    "a thing left to do": re.compile(r"\b(" + "|".join(("TODO", "FIXME", "XXX", "HACK")) + r")\b"),
    "what it used to be": re.compile(
        r"\b(previously|formerly|used to be|renamed from|moved (here )?from|refactored|until recently)\b", re.IGNORECASE
    ),
}
_IGNORE = re.compile(
    r"#\s*(noqa(:\s*[A-Z]+\d+(,?\s*[A-Z]+\d+)*)?|type:\s*ignore(\[[^\]]*\])?|pragma:\s*no (cover|branch))(?P<rest>.*)"
)


def history(path: Path) -> list[str]:
    """A comment that tells what was is wrong as soon as it is written."""
    return [
        f"{path}:{line}: {what} in {text.strip()!r}"
        for line, text in _prose(path)
        for what, pattern in HISTORY.items()
        if pattern.search(text)
    ]


def bare_ignores(path: Path) -> list[str]:
    """Whoever goes past a rule says why, on the line."""
    findings = []
    for line, comment in _comments(path):
        match = _IGNORE.search(comment)
        if match and len(re.findall(r"[A-Za-z]+", match["rest"])) < 2:
            findings.append(f"{path}:{line}: no reason in {comment!r}")
    return findings


def _prose(path: Path) -> Iterator[tuple[int, str]]:
    yield from _comments(path)
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from enumerate((ast.get_docstring(node) or "").splitlines(), getattr(node, "lineno", 1))


def _comments(path: Path) -> list[tuple[int, str]]:
    """Find the comments of a file, once for all rules."""
    return _found(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=2048)
def _found(path: Path, _mtime_ns: int) -> list[tuple[int, str]]:
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
