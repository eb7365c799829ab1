"""Text to text and thinking: what stands between think tags is thinking.

Tags are `<think>` and `</think>`, written exactly so. An opening tag inside thinking is dropped and wants a closing tag
of its own; what is never closed is thinking to the end of the turn. A closing tag without an opening one is dropped.
White space: line breaks directly after the tag that opens thinking go with it; those directly after the tag that
closes it go where nothing but blanks stood before the opening tag on its line (before the closing one, if it is
alone). Nothing else is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.text.automaton import Automaton
from treadle.text.lines import BREAKS, only_blanks
from treadle.text.pieces import SEAM_STEP, TEXT, THINKING, Step
from treadle.text.tags import TagSet, finder, is_begun


class ThinkTagFilter(Automaton):
    """Move what stands between think tags out of the text, as it comes.

    Shape:  held: the beginning of a tag, never more.
    """

    __slots__ = (
        "_began_line",
        "_depth",
        "_find",
        "_held",
        "_only_blanks",
        "_openers",
        "_presumed",
        "_skips_breaks",
        "_starts_in_thinking",
        "_tags",
        "_thought",
    )

    def __init__(self, names: Sequence[str] = ("think",), *, starts_in_thinking: bool = False) -> None:
        """Make the filter.

        Args:
            names: Tag names; all mean the same, and each closes what any of them opened.
            starts_in_thinking: The model's turns begin in thinking and write the closing tag alone. An opening tag
                that is written all the same, before anything else, is the one that was presumed.
        """
        self._openers = frozenset(f"<{name}>" for name in names)
        self._tags = TagSet(tags=tuple(tag for name in names for tag in (f"<{name}>", f"</{name}>")))
        self._find = finder((self._tags,))
        self._starts_in_thinking = starts_in_thinking
        super().__init__()

    @property
    def acts_on(self) -> TagSet:
        """The tags."""
        return self._tags

    @property
    def busy(self) -> bool:
        """In thinking, in the beginning of a tag, or where a line break may be taken."""
        return bool(self._depth or self._held or self._skips_breaks)

    def restart(self) -> None:
        """Stand at the beginning of a turn, in thinking if the model begins there."""
        self.rest()
        if self._starts_in_thinking:
            self._depth, self._skips_breaks, self._presumed = 1, True, True

    def rest(self) -> None:
        """Stand outside thinking, at the beginning of a line."""
        super().restart()
        self._depth = 0
        self._held = ""
        self._skips_breaks = False
        self._only_blanks = self._began_line = True
        self._thought = self._presumed = False

    def passed(self, text: str) -> None:
        """Keep what stands on the line."""
        self._only_blanks = only_blanks(self._only_blanks, text)

    def split(self, text: str, out: list[Step]) -> None:
        """Show what stands outside the tags, and give as thinking what stands inside."""
        text = self._held + text
        self._held = ""
        self.looked_at_chars += len(text)
        at = self._after_breaks(text, 0)
        while tag := self._find(text, at):
            self._give(text[at : tag.start()], out)
            if is_begun(tag):
                self._held = tag.group()
                return
            self._turn(tag.group(), out)
            at = self._after_breaks(text, tag.end())
        self._give(text[at:], out)

    def seam(self, out: list[Step]) -> None:
        """Let the beginning of a tag go as what it stands in: text or thinking."""
        self._give(self._held, out)
        self._held = ""
        self._skips_breaks = self._presumed = False

    def end_passage(self, out: list[Step]) -> None:
        """Let go. Open thinking stays open: a passage may be interrupted, a turn may not."""
        self.seam(out)
        self._only_blanks = True

    def _turn(self, tag: str, out: list[Step]) -> None:
        """Go in or out by one tag."""
        presumed, self._presumed = self._presumed, False
        if tag in self._openers and presumed:
            self._skips_breaks = True
        elif tag in self._openers:
            self._depth += 1
            if self._depth == 1:
                self._began_line, self._skips_breaks, self._thought = self._only_blanks, True, False
                out.append(SEAM_STEP)
        elif self._depth > 1:
            self._depth -= 1
        else:
            self._skips_breaks = self._began_line if self._depth else self._only_blanks
            # Thinking that was given ended the passage of the text before it: what follows begins a line.
            self._only_blanks = self._only_blanks or self._thought
            self._depth, self._thought = 0, False
            out.append(SEAM_STEP)

    def _after_breaks(self, text: str, at: int) -> int:
        if not self._skips_breaks:
            return at
        while at < len(text) and text[at] in BREAKS:
            at += 1
        self._skips_breaks = at == len(text)
        return at

    def _give(self, text: str, out: list[Step]) -> None:
        if not text:
            return
        if self._depth:
            self._thought, self._presumed = True, False
            out.append((THINKING, text))
        else:
            self._only_blanks = only_blanks(self._only_blanks, text)
            out.append((TEXT, text))
