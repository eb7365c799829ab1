"""Text to text and extractions: marked blocks are taken out, read, and handed on as operations.

A block stands between `<NAME>` and its own `</NAME>`, written exactly so; a closing tag inside a JSON string does not
end it. A closing tag without a block is dropped. A block that is not closed in its turn is dropped and reported. One
past the bound is reported there and dropped up to its closing tag, or up to a new opening tag, which counts.
White space: a block that stands alone on its lines, nothing before its opening tag and a line break directly after
its closing tag, takes that line break with it. Nothing else is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from treadle.text.automaton import Automaton
from treadle.text.lines import line_start
from treadle.text.open_block import OpenBlock
from treadle.text.pieces import EXTRACTED, SEAM_STEP, TEXT, Step
from treadle.text.tags import TagSet, finder, is_begun

TAGS: Final = ("MEMORY_EXTRACT", "GRAPH_OPERATIONS")
LIMIT_CHARS: Final = 65_536
"""How much content a block may hold."""

# Text is worked on in slices, so that cutting off what is done costs the slice and not all that follows.
_SLICE_CHARS: Final = 1_024


class BlockFilter(Automaton):
    """Take marked blocks out and read them.

    Shape:  held: the beginning of a tag outside blocks; inside, the content up to `limit_chars`.
    """

    __slots__ = ("_alone", "_break_after", "_find", "_held", "_limit_chars", "_line_start", "_open", "_past", "_tags")

    def __init__(self, tags: Sequence[str] = TAGS, *, limit_chars: int = LIMIT_CHARS) -> None:
        self._tags = TagSet(tags=tuple(written for tag in tags for written in (f"<{tag}>", f"</{tag}>")))
        self._find = finder((self._tags,))
        self._limit_chars = limit_chars
        super().__init__()

    @property
    def acts_on(self) -> TagSet:
        """The tags."""
        return self._tags

    @property
    def busy(self) -> bool:
        """In a block, in the beginning of a tag, or where a line break may be taken."""
        return bool(self._held or self._open or self._past or self._break_after)

    def restart(self) -> None:
        """Stand outside blocks, at the beginning of a line."""
        super().restart()
        self._held = ""
        self._line_start = self._alone = True
        self._open: OpenBlock | None = None
        self._past = ""
        self._break_after = ""

    def passed(self, text: str) -> None:
        """Keep whether a line begins here."""
        self._line_start = line_start(self._line_start, text)

    def split(self, text: str, out: list[Step]) -> None:
        """Show what stands outside blocks, and give what stands inside as extractions."""
        todo = _slices(text)
        while todo:
            piece = todo.pop()
            if self._open is not None:
                todo += _slices(self._inside(self._open, piece, out))
                continue
            piece = self._held + piece
            self._held = ""
            todo += _slices(self._beyond(piece) if self._past else self._outside(piece, out))

    def seam(self, out: list[Step]) -> None:
        """Let the beginning of a tag go; a block that may have ended has ended."""
        while self._open is not None:
            rest = self._open.seam()
            if rest is None:
                break
            self._end(self._open, out)
            self.split(rest, out)
        if not self._past:
            self._show(self._held, out)
        self._held = ""
        self._break_after = ""

    def end_passage(self, out: list[Step]) -> None:
        """Let go. An open block stays open: a passage may be interrupted, a turn may not."""
        self.seam(out)
        self._line_start = True

    def end_turn(self, out: list[Step]) -> None:
        """Let go, and report the block that is still open: nothing of it is shown."""
        self.end_passage(out)
        if self._open is not None:
            out.append((EXTRACTED, self._open.extraction))
        self.restart()

    def _outside(self, text: str, out: list[Step]) -> str:
        """Show up to the next tag; give what stands after it."""
        text = self._without_break(text)
        found = self._find(text)
        self.looked_at_chars += found.end() if found else len(text)
        if found is None:
            self._show(text, out)
            return ""
        self._show(text[: found.start()], out)
        if is_begun(found):
            self._held = found.group()
            return ""
        out.append(SEAM_STEP)
        if not _closes(found):
            self._alone = self._line_start
            self._open_at(found)
        return text[found.end() :]

    def _inside(self, block: OpenBlock, text: str, out: list[Step]) -> str:
        before = block.looked_at_chars
        rest = block.feed(text)
        self.looked_at_chars += block.looked_at_chars - before
        if rest is None:
            return ""
        self._end(block, out)
        return rest

    def _beyond(self, text: str) -> str:
        """Drop what is past the bound; give what stands after the tag that ends it."""
        at = 0
        while found := self._find(text, at):
            self.looked_at_chars += found.end() - at
            at = found.end()
            if is_begun(found):
                self._held = found.group()
            elif not _closes(found):
                self._past = ""
                self._open_at(found)
                return text[at:]
            elif found.group() == self._past:
                self._past = ""
                self._expect_break()
                return text[at:]
        self.looked_at_chars += len(text) - at
        return ""

    def _open_at(self, found: re.Match[str]) -> None:
        self._open = OpenBlock(found.group()[1:-1], limit_chars=self._limit_chars)

    def _end(self, block: OpenBlock, out: list[Step]) -> None:
        self._open = None
        out.append((EXTRACTED, block.extraction))
        if block.extraction.diagnostic == "too_large":
            self._past = f"</{block.tag}>"
        else:
            self._expect_break()

    def _expect_break(self) -> None:
        self._break_after = "\r\n" if self._alone else ""

    def _without_break(self, text: str) -> str:
        """Take the one line break, CR, LF or both, that goes with the block before it."""
        while text and self._break_after:
            taken = text[0]
            if taken not in self._break_after:
                self._break_after = ""
                break
            self._break_after = "\n" if taken == "\r" else ""
            text = text[1:]
        return text

    def _show(self, text: str, out: list[Step]) -> None:
        if text:
            self.passed(text)
            out.append((TEXT, text))


def _closes(found: re.Match[str]) -> bool:
    return found.group().startswith("</")


def _slices(text: str) -> list[str]:
    """Cut text into slices, the last one first: a pile to take from."""
    starts = range(0, len(text), _SLICE_CHARS)
    return [text[at : at + _SLICE_CHARS] for at in reversed(starts)]
