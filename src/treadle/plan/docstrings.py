"""A function's docstring to what a model is told of it.

In: a docstring with, or without, a Google `Args:` section. Out: the first paragraph, and a text for each parameter.
Knows nothing of signatures: a parameter that is described need not be there.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_ARGUMENT_HEADS: Final = frozenset({"Args:", "Arguments:", "Parameters:"})
_HEAD: Final = re.compile(r"[A-Z][A-Za-z ]*:")
_ENTRY: Final = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation:
    """What a docstring says. Either part may be empty."""

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)


def read_docstring(docstring: str | None) -> Documentation:
    """The description and the parameters' texts of a docstring; both on one line each."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    if lines and lines[0] in _ARGUMENT_HEADS:
        # Where the first line is the heading, the indent of its entries is taken for that of the docstring.
        lines[1:] = [f" {line}" for line in lines[1:]]
    return Documentation(description=_first_paragraph(lines), parameters=_described(lines))


def _first_paragraph(lines: list[str]) -> str:
    paragraph: list[str] = []
    for line in lines:
        if not line.strip() or _HEAD.fullmatch(line):
            break
        paragraph.append(line.strip())
    return " ".join(paragraph)


def _described(lines: list[str]) -> dict[str, str]:
    described: dict[str, list[str]] = {}
    entries_indent: int | None = None
    name = ""
    for indent, text in _section(lines):
        if entries_indent is None:
            entries_indent = indent
        entry = _ENTRY.fullmatch(text) if indent <= entries_indent else None
        if entry is not None:
            name = entry[1]
            described[name] = [entry[2]]
        elif name:
            described[name].append(text)
    return {name: " ".join(filter(None, texts)) for name, texts in described.items()}


def _section(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Indent and text of each line of the section on arguments, blank ones left out."""
    inside = False
    for line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if text and not indent:
            inside = text in _ARGUMENT_HEADS
        elif text and inside:
            yield indent, text
