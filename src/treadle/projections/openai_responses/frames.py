"""Events of a response as JSON, numbered densely from 0.

In: what an event says. Out: payloads; none for what a reader who came back has already. Knows nothing of runs.

Shape: text is pure ASCII by JSON's escapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring_ascii
from typing import NamedTuple

from treadle.codec.foreign import json_text
from treadle.values.mappings import Json


class Template(NamedTuple):
    """An event that repeats: what stands between its number and its text, and behind that."""

    kind: str
    between: str
    behind: str


class Frames:
    """Counts what is said. `after` is the number of the last event that is not told again; -1: all are told."""

    __slots__ = ("_after", "next")

    def __init__(self, after: int) -> None:
        self._after = after
        self.next = 0

    def event(self, kind: str, **fields: Json) -> list[str]:
        """One event."""
        number, self.next = self.next, self.next + 1
        return [json_text({"type": kind, "sequence_number": number, **fields})] if number > self._after else []

    def pieces(self, template: Template, texts: Sequence[str]) -> list[str]:
        """One event a text."""
        first, self.next = self.next, self.next + len(texts)
        skip = max(0, self._after + 1 - first)
        before, between, behind = f'{{"type":"{template.kind}","sequence_number":', template.between, template.behind
        return [
            f"{before}{number}{between}{encode_basestring_ascii(text)}{behind}"
            for number, text in enumerate(texts[skip:] if skip else texts, first + skip)
        ]
