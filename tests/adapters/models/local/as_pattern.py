"""A grammar as a regular expression: a second reader of it, so that tests need no engine."""

from __future__ import annotations

import re

from treadle.adapters.models.local.gbnf import Characters, Choice, Literal, Node, Repeat, Sequence


def pattern(node: Node) -> re.Pattern[str]:
    """The expression whose whole matches are the texts of the grammar."""
    return re.compile(_expression(node))


def _expression(node: Node) -> str:
    match node:
        case Literal(text):
            return re.escape(text)
        case Characters(members):
            return f"[{members}]"
        case Sequence(parts):
            return "(?:" + "".join(map(_expression, parts)) + ")"
        case Choice(options):
            return "(?:" + "|".join(map(_expression, options)) + ")"
        case Repeat(part, least, most):
            return f"(?:{_expression(part)}){{{least},{most}}}"
