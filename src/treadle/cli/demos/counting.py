"""What a reader got against what it should have got, as four counts.

In: the indexes in the order in which they came, and the text that was made of the events. Out: how many indexes and
characters are missing or came again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How far what was got differs from what should have been. All 0: not at all."""

    missing_indexes: int = 0
    repeated_indexes: int = 0
    missing_characters: int = 0
    repeated_characters: int = 0

    def __add__(self, other: Counts) -> Counts:
        mine, others = asdict(self), asdict(other)
        return Counts(**{name: mine[name] + others[name] for name in mine})

    @property
    def is_clean(self) -> bool:
        """Whether nothing differs."""
        return self == NO_DIFFERENCE

    @property
    def words(self) -> str:
        """All four, for people."""
        return (
            f"indexes {self.missing_indexes} missing, {self.repeated_indexes} repeated; "
            f"characters {self.missing_characters} missing, {self.repeated_characters} repeated"
        )


NO_DIFFERENCE: Final = Counts()


def counted(indexes: Sequence[int], text: str, *, expected: str) -> Counts:
    """Compare what one reader got of one whole run with what there was.

    Shape:  the run's last event is the reader's last, so `indexes` should be 0, 1, 2 … to its last. One that comes
            behind a higher one came late: its place was missing when it should have been shown, and it is counted as
            repeated.
    """
    missing_indexes, repeated_indexes = _indexes(indexes)
    missing_characters, repeated_characters = _characters(text, expected)
    return Counts(
        missing_indexes=missing_indexes,
        repeated_indexes=repeated_indexes,
        missing_characters=missing_characters,
        repeated_characters=repeated_characters,
    )


def _indexes(indexes: Sequence[int]) -> tuple[int, int]:
    missing, repeated, due = 0, 0, 0
    for index in indexes:
        if index < due:
            repeated += 1
            continue
        missing += index - due
        due = index + 1
    return missing, repeated


def _characters(text: str, expected: str) -> tuple[int, int]:
    if text == expected:
        return 0, 0
    blocks = SequenceMatcher(None, expected, text, autojunk=False).get_matching_blocks()
    common = sum(block.size for block in blocks)
    return len(expected) - common, len(text) - common
