"""Halves of surrogate pairs, cut over pieces of a stream, to characters.

In: text that may hold half a pair, because its source cut in the middle of an escape. Out: text that can be encoded.
A first half waits for its second half; a half that stays alone becomes U+FFFD.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from treadle.framing.surrogates import whole_text
from treadle.text.automaton import Automaton
from treadle.text.pieces import Step

REPLACEMENT: Final = "\ufffd"

find_half: Final = re.compile("[\ud800-\udfff]").search
"""Find half a pair. Whole pairs are characters in text, so each half stands where a pair was cut, or is astray."""


class PairJoiner(Automaton):
    """Hold a first half until its second half comes. Stands before every other filter, and thinking passes it too."""

    __slots__ = ("_held",)

    hears_thinking: ClassVar[bool] = True

    @property
    def busy(self) -> bool:
        """While half a pair is held."""
        return bool(self._held)

    def restart(self) -> None:
        """Hold nothing."""
        super().restart()
        self._held = ""

    def split(self, text: str, out: list[Step]) -> None:
        """Pass text on with its pairs joined."""
        text = self._held + text
        self.looked_at_chars += len(text)
        self._held = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        out.append((self.kind, whole_text(text[: len(text) - len(self._held)])))

    def seam(self, out: list[Step]) -> None:
        """Replace a half that is held: its other half can no longer come."""
        if self._held:
            self._held = ""
            out.append((self.kind, REPLACEMENT))
