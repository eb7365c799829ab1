"""What comes out of the filters: shown text, thinking, and operations read from a block, in their order.

In: steps, as one filter hands them to the next. Out: pieces, as the run writes them down. Knows no filter and no event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

TEXT: Final = "text"
THINKING: Final = "thinking"
EXTRACTED: Final = "extracted"
SEAM: Final = "seam"

Diagnostic: TypeAlias = Literal["not_json", "too_deep", "too_large", "unterminated", "wrong_shape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The operations of one removed block, or why there are none."""

    tag: str
    operations: tuple[Mapping[str, Any], ...] = ()
    diagnostic: Diagnostic | None = None
    """None where the block was read. Never holds a word of the block."""


Piece: TypeAlias = tuple[Literal["text", "thinking"], str] | tuple[Literal["extracted"], Extraction]
"""A kind and its value. Text and thinking are never empty."""

Step: TypeAlias = tuple[str, str | Extraction]
"""A piece on its way from filter to filter, or a seam: the place where a filter took something out."""

SEAM_STEP: Final[Step] = (SEAM, "")


def settled(steps: Iterable[Step]) -> tuple[Piece, ...]:
    """Leave the seams out and join neighbours of one kind.

    Shape:  no two pieces of text, or of thinking, stand beside each other.
    """
    pieces: list[Step] = []
    run: list[str] = []
    open_kind = ""
    for kind, value in steps:
        if kind not in (open_kind, SEAM):
            _close(pieces, open_kind, run)
            open_kind = kind
        if kind == EXTRACTED:
            pieces.append((kind, value))
        else:
            run.append(cast("str", value))
    _close(pieces, open_kind, run)
    return cast("tuple[Piece, ...]", tuple(pieces))


def text_of(steps: Iterable[Step]) -> str:
    """Join the text of steps or pieces; thinking and extractions are left out."""
    return "".join(cast("str", value) for kind, value in steps if kind == TEXT)


def _close(pieces: list[Step], kind: str, run: list[str]) -> None:
    if joined := "".join(run):
        pieces.append((kind, joined))
    run.clear()
