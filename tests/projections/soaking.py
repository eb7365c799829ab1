"""How many generated runs a soak gives an official client, and which: two for each example that soaks are to try."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

_EXAMPLES: Final = 5_000
MANY: Final = 2 * int(os.environ.get("TREADLE_SOAK_EXAMPLES", str(_EXAMPLES)))
SEED: Final = int(os.environ.get("TREADLE_SOAK_SEED", "0"))


def laps(size: int) -> Iterator[range]:
    """The seeds, so many at a time; they are told first, since a soak tells what it draws."""
    begins, ends = SEED * 2 * _EXAMPLES, SEED * 2 * _EXAMPLES + MANY
    print(f"seeds {begins} to {ends - 1}")  # noqa: T201 (a soak tells its seed)
    for first in range(begins, ends, size):
        yield range(first, min(first + size, ends))
