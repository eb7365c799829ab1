"""Grammars as values, and the text that the engine reads."""

from __future__ import annotations

import pytest

from treadle.adapters.models.local.gbnf import (
    NOTHING,
    Characters,
    Choice,
    Literal,
    Node,
    Repeat,
    choice,
    grammar_text,
    optional,
    sequence,
)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Literal("true"), '"true"'),
        (Literal('say "\\"\n'), r'"say \"\\\"\n"'),
        (Literal("été"), '"été"'),
        (Characters("1-9"), "[1-9]"),
        (sequence(Literal("a"), Literal("b")), '("a" "b")'),
        (choice(Literal("a"), Literal("b")), '("a" | "b")'),
        (Repeat(Characters("0-9"), 1, 3), "[0-9]{1,3}"),
        (optional(choice(Literal("a"), Literal("b"))), '("a" | "b"){0,1}'),
    ],
)
def test_a_grammar_is_one_rule_in_the_notation_of_the_engine(node: Node, text: str) -> None:
    """llama.cpp: quoted texts with escapes, bracketed classes, groups, `{least,most}`."""
    assert grammar_text(node) == f"root ::= {text}\n"


def test_what_says_nothing_leaves_a_sequence() -> None:
    """Ours: an empty object has no members, and no empty quotes stand for them."""
    assert sequence(Literal("{"), NOTHING, Literal("}")) == sequence(Literal("{"), Literal("}"))
    assert sequence(NOTHING, Literal("a")) == Literal("a")
    assert sequence(NOTHING) == NOTHING


def test_a_choice_of_one_is_that_one() -> None:
    """Ours: a tool alone needs no choice."""
    assert choice(Literal("a")) == Literal("a")
    assert choice(Literal("a"), Literal("b")) == Choice((Literal("a"), Literal("b")))
