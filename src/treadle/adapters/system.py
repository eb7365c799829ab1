"""Time and fresh names from the operating system."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Final

from treadle.values.ids import RunId

_ALPHABET: Final = b"0123456789abcdefghjkmnpqrstvwxyz"
_LETTERS: Final = 20  # of 32 kinds: 100 bits
_LETTER_OF: Final = _ALPHABET * (256 // len(_ALPHABET))


class SystemClock:
    """The wall clock, and the clock of the running event loop."""

    now_s = staticmethod(time.time)  # noqa: TID251 (this is the port's one real clock)
    """UTC seconds since the epoch."""

    def monotonic_s(self) -> float:
        """Seconds that only grow."""
        return asyncio.get_running_loop().time()


class RandomIds:
    """Run ids that nobody can guess."""

    def run_id(self) -> RunId:
        """A fresh run id: `r_` and 20 letters and digits, 100 random bits."""
        return RunId(f"r_{secrets.token_bytes(_LETTERS).translate(_LETTER_OF).decode()}")
