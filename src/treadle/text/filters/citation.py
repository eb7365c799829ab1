"""Text to text without citations: `[semantic]` and its like, a closed set of names, in any case.

A name in brackets is user text, not a citation, directly after a cased letter, a digit, `_`, `)`, `]`, `}`, `[` or a
backslash as written (`table[working]`, `x[0][working]`), and directly before `(` (`[semantic](link)`).
White space: a citation takes the one blank written directly before it or, where only blanks precede it on its line,
the one after it. Nothing else is taken: indents, blank lines and further blanks stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.text.automaton import Automaton
from treadle.text.lines import BLANKS, only_blanks
from treadle.text.pieces import SEAM_STEP, TEXT, Step
from treadle.text.tags import TagSet, finder, is_begun

NAMES = ("semantic", "episodic", "procedural", "working", "prospective")

_BINDS = frozenset("_)]}[\\")


def _binds(character: str) -> bool:
    """Tell whether a bracket directly after this character belongs to it, as an index does to its table."""
    return character in _BINDS or character.isdigit() or character.lower() != character.upper()


class CitationFilter(Automaton):
    """Take citations out.

    Shape:  held: the blank before a citation, its beginning, and a whole one until the next character is known.
    """

    __slots__ = ("_before", "_eats_blank", "_find", "_held", "_only_blanks", "_tags")

    def __init__(self, names: Sequence[str] = NAMES) -> None:
        self._tags = TagSet(tags=tuple(f"[{name}]" for name in names), any_case=True, takes_blank=True)
        self._find = finder((self._tags,))
        super().__init__()

    @property
    def acts_on(self) -> TagSet:
        """The citations, and the blank before one."""
        return self._tags

    @property
    def busy(self) -> bool:
        """While something is held, or a blank may be taken."""
        return bool(self._held) or self._eats_blank

    def restart(self) -> None:
        """Stand at the beginning of a passage."""
        super().restart()
        self._held = ""
        self._before = ""
        self._eats_blank = False
        self._only_blanks = True

    def passed(self, text: str) -> None:
        """Keep the last character and what stands on the line."""
        self._before = text[-1]
        self._only_blanks = only_blanks(self._only_blanks, text)

    def split(self, text: str, out: list[Step]) -> None:
        """Show the text, the citations taken out."""
        self._take(self._held + text, out, ended=False)

    def seam(self, out: list[Step]) -> None:
        """Decide by what is there: a whole citation is one, a beginning is text. Nothing stands before what comes."""
        self._take(self._held, out, ended=True)
        self._before = ""
        self._eats_blank = False

    def end_passage(self, out: list[Step]) -> None:
        """Let go, and begin a line."""
        self.seam(out)
        self._only_blanks = True

    def _take(self, text: str, out: list[Step], *, ended: bool) -> None:
        self._held = ""
        self.looked_at_chars += len(text)
        shown = at = self._after_blank(text, 0)
        while found := self._find(text, at):
            at, start = found.end(), found.start()
            blank = text[start] in BLANKS
            if not blank and _binds(text[start - 1] if start > shown else self._before):
                continue
            if at == len(text) and not ended:
                self._held = found.group()
                self._show(text[shown:start], out)
                return
            if not is_begun(found) and text[at : at + 1] != "(":
                self._remove(text[shown:start], text[start] if blank else "", out)
                shown = at = self._after_blank(text, at)
        self._show(text[shown:], out)

    def _remove(self, before: str, blank: str, out: list[Step]) -> None:
        """Show what stands before a citation, and take the blank directly before it or, on an empty line, after it."""
        self._eats_blank = only_blanks(self._only_blanks, before)
        self._show(before + blank if self._eats_blank else before, out)
        self._before = ""
        out.append(SEAM_STEP)

    def _after_blank(self, text: str, at: int) -> int:
        if self._eats_blank and at < len(text):
            self._eats_blank = False
            return at + (text[at] in BLANKS)
        return at

    def _show(self, text: str, out: list[Step]) -> None:
        if text:
            self.passed(text)
            out.append((TEXT, text))
