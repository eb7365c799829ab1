"""Text of models and tools, made safe to show on a terminal.

A terminal obeys control codes: they move the cursor, rename the window, answer on the keyboard's behalf. None of them
reaches it from a model or a tool, and neither does a character that turns the direction of what stands around it: a
person would approve another line than the one that runs. Joiners (U+200C, U+200D) stay: scripts and emoji need them.
The rule looks at one character at a time, so it does not matter where text is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.codec.foreign import json_text, json_value

LONGEST_LINE_CHARS = 1000
"""What is shown of a call's arguments or result. The whole stands in `--json` and `--events`."""

_CONTROLS = (*range(0x20), 0x7F, *range(0x80, 0xA0))
# Embeddings, overrides and isolates of the Unicode bidirectional algorithm, and the ends of them.
_TURNS = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_BLOCK = {code: f"\\x{code:02x}" for code in _CONTROLS if chr(code) not in "\n\t\r"} | _TURNS | {ord("\r"): ""}
# What JSON allows in a text as it is, and a terminal obeys or a reader of lines takes for the end of one.
_JSON = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}
_LINE = _BLOCK | {ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def block(text: str) -> str:
    """`text` with its line breaks and tabs kept, carriage returns left out, other controls spelled out."""
    return text.translate(_BLOCK)


def line(text: str, *, longest_chars: int = LONGEST_LINE_CHARS) -> str:
    """`text` on one line: every control spelled out, and the length named where it is cut."""
    if len(text) <= longest_chars:
        return text.translate(_LINE)
    return f"{text[:longest_chars].translate(_LINE)}… ({len(text)} characters)"


def value(content: object) -> str:
    """A call's arguments or result on one line: text as it is, anything else as JSON."""
    return line(content if isinstance(content, str) else json_text(json_value(content)))


def json_line(terms: Mapping[str, Any]) -> str:
    """Terms as one line of compact JSON without the line's end, no control code in it."""
    return json_escaped(json_text(terms))


def json_escaped(text: str) -> str:
    """JSON text that says the same, with every control code in its strings escaped."""
    return text.translate(_JSON)
