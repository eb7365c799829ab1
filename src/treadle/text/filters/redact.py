"""Text to text without secrets: keys, bearer tokens, e-mail addresses give way to `[redacted]`.

Thinking passes this filter too, and so do the operations that were extracted before it; `redact` does the same to the
strings of any other value. Patterns are leads, classes and lengths (see the module `redaction`), so the cost is linear
and no cut lets a secret through. It looks at what is shown: where something was taken out, the text around is joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from treadle.text.automaton import Automaton
from treadle.text.pieces import Extraction, Step
from treadle.text.redaction import (
    DEFAULT_PATTERNS,
    REPLACEMENT,
    WORD_LIMIT_CHARS,
    RedactionPattern,
    Run,
    redaction_of,
)
from treadle.text.strings import map_strings


class RedactFilter(Automaton):
    """Replace secrets.

    Shape:  held: the beginning of a secret with a lead; if there are patterns without one, the word in hand.
    """

    __slots__ = ("_before", "_held", "_redaction", "_run")

    hears_thinking: ClassVar[bool] = True

    def __init__(self, patterns: Sequence[RedactionPattern] = DEFAULT_PATTERNS) -> None:
        self._redaction = redaction_of(tuple(patterns))
        super().__init__()

    def restart(self) -> None:
        """Stand at the beginning of a passage."""
        super().restart()
        self._held = ""
        self._before = ""
        self._run: Run | None = None

    def split(self, text: str, out: list[Step]) -> None:
        """Show the text, its secrets replaced."""
        if self._run is not None or not self._pass_all_but_word(text, out):
            self._take(text, out, ended=False)

    def end_passage(self, out: list[Step]) -> None:
        """Decide by what is there. Seams are no ends: a reader sees the text joined across them."""
        self._take("", out, ended=True)
        self._before = ""
        self._run = None

    def aside(self, extraction: Extraction) -> Extraction:
        """Redact the strings of operations."""
        return replace(extraction, operations=tuple(map_strings(extraction.operations, self.redacted)))

    def redacted(self, text: str) -> str:
        """Replace the secrets of a whole text that stands alone."""
        made = self.fresh()
        return made.feed(text) + made.flush()

    def _pass_all_but_word(self, text: str, out: list[Step]) -> bool:
        """Take text that gives no hint of a secret: all but its last word can be shown."""
        text = self._before + self._held + text
        self.looked_at_chars += len(text)
        if self._redaction.hint is None or self._redaction.hint(text):
            return False
        shown, word = len(self._before), len(text.rstrip(self._redaction.signs))
        # A word that began before what is held is no word any more; one past the limit is let go.
        if word < shown or len(text) - word > WORD_LIMIT_CHARS:
            return False
        self._held = text[word:]
        self._show(text[shown:word], out)
        return True

    def _take(self, text: str, out: list[Step], *, ended: bool) -> None:
        text = self._before + self._held + text
        self.looked_at_chars += len(text)
        shown = len(self._before)
        self._held = ""
        if self._run is not None:
            shown = self._after_run(text, shown, self._run, ended=ended)
        find = (self._redaction.ended if ended else self._redaction.live).search
        at = shown
        while found := find(text, at):
            kind = found.lastgroup or ""
            if not ended and (kind == "open" or (kind == "word" and found.end() == len(text))):
                self._show(text[shown : found.start()], out)
                self._held = found.group()
                self._before = text[: found.start()][-1:]
                return
            if kind == "word":
                at = found.start() + 1
                if place := self._redaction.inside(found.group()):
                    self._replace(text[shown : found.start() + place[0]], out)
                    shown = at = found.start() + place[1]
                continue
            self._replace(text[shown : found.start()], out)
            shown = at = self._after_run(text, found.end(), self._redaction.runs[kind], ended=ended)
        self._show(text[shown:], out)

    def _after_run(self, text: str, at: int, run: Run, *, ended: bool) -> int:
        """Pass over the rest of a secret. Where it reaches the end of the text, more of it may come."""
        found = run.more.match(text, at)
        end = found.end() if found else at
        left = text[end : end + 2]
        goes_on = not ended and (not left or (len(left) == 1 and left in run.joiners))
        self._run = run if goes_on else None
        if not goes_on:
            return end
        self._held = left
        self._before = text[end - 1]
        return len(text)

    def _replace(self, before: str, out: list[Step]) -> None:
        self._show(before, out)
        out.append((self.kind, REPLACEMENT))

    def _show(self, text: str, out: list[Step]) -> None:
        if text:
            self._before = text[-1]
            out.append((self.kind, text))


def redact(value: object, patterns: Sequence[RedactionPattern] = DEFAULT_PATTERNS) -> Any:  # noqa: ANN401 (as JSON as what came in)
    """Replace the secrets in the strings of a value, the keys of mappings too. The value itself is left alone."""
    return map_strings(value, RedactFilter(patterns).redacted)
