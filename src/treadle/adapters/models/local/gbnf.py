"""A grammar as a value, to the text that the engine reads it from.

Holds what a regular language needs and nothing more: no rule names another, so every text of such a grammar that is
bounded here has an end. Knows nothing of JSON.

Source: the grammar notation of llama.cpp (GBNF).
"""

from __future__ import annotations

from dataclasses import dataclass

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Literal:
    """This text and no other."""

    text: str


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a class, written as between the brackets of a regular expression: `0-9`."""

    members: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the options, at least one of which there is."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same part again and again, `least` to `most` times."""

    part: Node
    least: int
    most: int


Node = Literal | Characters | Sequence | Choice | Repeat

NOTHING = Literal("")


def sequence(*parts: Node) -> Node:
    """The parts in order; a single one as it is."""
    kept = tuple(part for part in parts if part != NOTHING)
    if len(kept) == 1:
        return kept[0]
    return Sequence(kept) if kept else NOTHING


def choice(*options: Node) -> Node:
    """One of the options; a single one as it is."""
    return options[0] if len(options) == 1 else Choice(options)


def optional(part: Node) -> Node:
    """The part, or nothing."""
    return Repeat(part, 0, 1)


def grammar_text(root: Node) -> str:
    """The whole grammar, one rule."""
    return f"root ::= {_written(root)}\n"


def _written(node: Node) -> str:
    match node:
        case Literal(text):
            return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'
        case Characters(members):
            return f"[{members}]"
        case Sequence(parts):
            return "(" + " ".join(_written(part) for part in parts) + ")"
        case Choice(options):
            return "(" + " | ".join(_written(option) for option in options) + ")"
        case Repeat(part, least, most):
            return f"{_written(part)}{{{least},{most}}}"
