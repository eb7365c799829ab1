"""The contract of a filter, and what the filters of this package have beyond it.

In: text as it was cut. Out: text that may be shown, and beside it thinking and extractions. A filter stands in a
series; what one takes out reaches the next as a seam, so that nothing is ever joined across it to become a tag.
Knows no round, no run and no close.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from functools import cache
from typing import ClassVar, Final, Protocol, Self, cast, runtime_checkable

from treadle.text.pieces import EXTRACTED, SEAM, TEXT, THINKING, Extraction, Step, text_of
from treadle.text.tags import TagSet


@runtime_checkable
class StreamFilter(Protocol):
    """What anyone may write to stand in the series.

    The output may not depend on how the input is cut. A filter holds as little as it can, takes linear time,
    and can be deep-copied: a copy is made for each run, and one more at each round, to go back to.
    """

    def feed(self, text: str) -> str:
        """Give what may be shown by now.

        Shape:  "" where all is held or taken out.
        """
        ...

    def flush(self) -> str:
        """Let go of what is held: a passage has ended. The filter may be fed again."""
        ...


class Automaton:
    """A one-pass filter that knows of seams, passages and turns.

    A passage ends: what is held is let go. A turn ends: what is open is closed or dropped, and the filter is as new.
    """

    __slots__ = ("kind", "looked_at_chars")

    hears_thinking: ClassVar[bool] = False
    """Whether thinking passes this filter, or only ends its passage."""

    kind: str
    """The kind of the passage at hand; of use where thinking is heard."""
    looked_at_chars: int
    """How many characters were looked at, again and again where a place was looked at twice. Tests read the cost."""

    def __init__(self) -> None:
        self.looked_at_chars = 0
        self.restart()

    @property
    def acts_on(self) -> TagSet | None:
        """The tags without which it passes all text while it is at rest. None: it must see everything."""
        return None

    @property
    def busy(self) -> bool:
        """Whether more than the text before it decides what becomes of the next character."""
        return False

    def restart(self) -> None:
        """Stand where a turn begins. Everything that changes is made anew here."""
        self.kind = TEXT

    def rest(self) -> None:
        """Stand where shown text begins, wherever a turn would begin."""
        self.restart()

    def passed(self, text: str) -> None:
        """Hear of text that went by on the short road since the last call: the end of it, its last line in any case."""

    def split(self, text: str, out: list[Step]) -> None:
        """Take text in and add the steps it gives."""
        raise NotImplementedError

    def seam(self, out: list[Step]) -> None:
        """Let go of what is held: something was taken out here."""

    def end_passage(self, out: list[Step]) -> None:
        """Let go of what is held: what comes next is another passage, and begins a line."""
        self.seam(out)

    def end_turn(self, out: list[Step]) -> None:
        """End the passage, close or drop what is open, and be as new."""
        self.end_passage(out)
        self.restart()

    def aside(self, extraction: Extraction) -> Extraction:
        """See what an earlier filter extracted, and pass it on."""
        return extraction

    def mark(self) -> None:
        """Remember this place, the beginning of a round, to go back to."""

    def go_back(self) -> None:
        """Stand at the mark again."""
        self.restart()

    def fresh(self) -> Self:
        """Make a filter of the same rules that has seen nothing."""
        kind = type(self)
        if hasattr(self, "__dict__"):
            made = copy.copy(self)
        else:
            # What `copy.copy` does, at half its price: every run copies its filters.
            made = kind.__new__(kind)
            for name in _slots_of(kind):
                setattr(made, name, getattr(self, name))
        made.looked_at_chars = 0
        made.restart()
        return made

    def feed(self, text: str) -> str:
        """Give the text that may be shown by now; thinking and extractions are for a series."""
        out: list[Step] = []
        self.split(text, out)
        return text_of(out)

    def flush(self) -> str:
        """Let go of what is held and be as new: alone, a filter sees one turn, and its end."""
        out: list[Step] = []
        self.end_turn(out)
        return text_of(out)


def _all_slots(kind: type) -> tuple[str, ...]:
    return tuple(name for base in kind.__mro__ for name in base.__dict__.get("__slots__", ()))


_slots_of: Final[Callable[[type], tuple[str, ...]]] = cache(_all_slots)


class ForeignFilter(Automaton):
    """A filter that knows `feed` and `flush` alone, in a series. It sees everything and is never as new."""

    __slots__ = ("_filter", "_marked", "_pristine")

    def __init__(self, plain: StreamFilter) -> None:
        self._pristine = copy.deepcopy(plain)
        self._filter = plain
        self.mark()
        super().__init__()

    def split(self, text: str, out: list[Step]) -> None:
        """Feed it."""
        self.looked_at_chars += len(text)
        out.append((TEXT, self._filter.feed(text)))

    def end_passage(self, out: list[Step]) -> None:
        """Flush it."""
        out.append((TEXT, self._filter.flush()))

    def mark(self) -> None:
        """Copy it: it has no other way back."""
        self._marked = copy.deepcopy(self._filter)

    def go_back(self) -> None:
        """Take the copy, and keep another."""
        self._filter = copy.deepcopy(self._marked)

    def fresh(self) -> Self:
        """Copy it as it was when it was given."""
        return type(self)(copy.deepcopy(self._pristine))


def automaton_of(given: StreamFilter) -> Automaton:
    """Make the filter of one run from the one that was given, which is left alone."""
    return given.fresh() if isinstance(given, Automaton) else ForeignFilter(copy.deepcopy(given))


def through(automaton: Automaton, steps: Iterable[Step]) -> list[Step]:
    """Send steps through one filter of a series, in their order."""
    out: list[Step] = []
    for step in steps:
        kind, value = step
        if kind == SEAM:
            automaton.seam(out)
            out.append(step)
        elif kind == EXTRACTED:
            out.append((kind, automaton.aside(cast("Extraction", value))))
        elif kind == THINKING and not automaton.hears_thinking:
            automaton.end_passage(out)
            out.append(step)
        else:
            _hear(automaton, kind, cast("str", value), out)
    return out


def _hear(automaton: Automaton, kind: str, text: str, out: list[Step]) -> None:
    if kind != automaton.kind:
        automaton.end_passage(out)
        automaton.kind = kind
    automaton.split(text, out)
