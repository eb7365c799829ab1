"""What a demo says while it works, and what it comes to.

In: findings. Out: a line each for people, or a JSON object each for scripts; the last one says whether the promise was
kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treadle.cli import foreign_text


class DemoFailedError(Exception):
    """The demo cannot go on: what should have come did not, or something else did. The message is one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller:
    """Says what a demo does and finds.

    Args:
        write: Is given each line with its end.
        for_scripts: JSON instead of words.
    """

    demo: str
    write: Callable[[str], None]
    for_scripts: bool

    def tell(self, words: str, **facts: Any) -> None:  # noqa: ANN401 (JSON terms)
        """Say one thing: to people in words, to scripts as its facts; where there are none, to people alone."""
        if not self.for_scripts:
            self.write(f"{foreign_text.line(words)}\n")
        elif facts:
            self.write(f"{foreign_text.json_line({'demo': self.demo, **facts})}\n")
