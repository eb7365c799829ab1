"""What stands before a place on its line: the one thing about white space that filters ask.

In: text that follows on what was known. Out: what is known after it. A passage begins a line.
"""

from __future__ import annotations

BLANKS = " \t"
BREAKS = "\r\n"


def only_blanks(known: bool, text: str) -> bool:  # noqa: FBT001 (a state, not a switch)
    """Tell whether nothing but blanks stands on the last line, `known` being the answer before `text`."""
    at = max(text.rfind("\n"), text.rfind("\r"))
    return (known or at >= 0) and not text[at + 1 :].strip(BLANKS)


def line_start(known: bool, text: str) -> bool:  # noqa: FBT001 (a state, not a switch)
    """Tell whether nothing at all stands on the last line, `known` being the answer before `text`."""
    return text[-1] in BREAKS if text else known
