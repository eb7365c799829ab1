"""What a page tells its reader to write, taken out of the page.

In: Markdown. Out: programs, each with the files that stand before it and the output that stands after it.
A comment on the line above a fence says what the fence is:

    <!-- file: NAME -->         the text of a file, for the programs after it
    <!-- output -->             what the program before it prints
    <!-- model: STRING -->      a program; the model it names gives way to this one
    <!-- not run: REASON -->    a program that cannot be run here

Every other fence marked `python` is a program, and is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(
    r"^(?:<!-- (?P<note>.*?) -->\n+)?```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_MODEL = re.compile(r'model="[^"]*"')


@dataclass(slots=True)
class Program:
    """One program of a page."""

    line: int
    text: str
    files: dict[str, str] = field(default_factory=dict)
    output: str | None = None


def programs(page: str) -> list[Program]:
    """List the programs of a page in order."""
    found: list[Program] = []
    files: dict[str, str] = {}
    for line, note, language, text in _fences(page):
        word, _, rest = note.partition(": ")
        if word == "file":
            files[rest] = text
        elif word == "output":
            if not found:
                raise ValueError(f"line {line}: an output without a program before it")
            found[-1].output = text
        elif word == "not run":
            if not rest.strip():
                raise ValueError(f"line {line}: a program that is not run, without a reason")
        elif language == "python":
            program = _MODEL.sub(f'model="{rest}"', text) if word == "model" else text
            found.append(Program(line=line, text=program, files=dict(files)))
    return found


def _fences(page: str) -> Iterator[tuple[int, str, str, str]]:
    for match in _FENCE.finditer(page):
        line = page.count("\n", 0, match.start("text")) + 1
        yield line, match["note"] or "", match["language"], match["text"]
