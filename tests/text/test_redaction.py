"""Patterns of redaction, as data."""

from __future__ import annotations

import pytest

from treadle.text.filters.redact import RedactFilter
from treadle.text.redaction import DEFAULT_PATTERNS, RedactionPattern, redaction_of


@pytest.mark.parametrize(
    "wrong",
    [
        {"chars": "", "length": 1},
        {"chars": "a", "length": 0},
        {"chars": "a", "length": 257},
        {"chars": "a", "length": 1, "host_after": "@@"},
        {"chars": "a", "length": 1, "host_after": "@", "lead": "x"},
    ],
)
def test_a_pattern_is_legal_if_it_exists(wrong: dict[str, object]) -> None:
    """Ours: checked when made, not when a secret goes by."""
    with pytest.raises(ValueError, match="pattern 'mine'"):
        RedactionPattern(name="mine", **wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_patterns_are_made_ready_once() -> None:
    """Ours: a run costs no compiling."""
    assert redaction_of(DEFAULT_PATTERNS) is redaction_of(tuple(DEFAULT_PATTERNS))


@pytest.mark.parametrize(
    ("patterns", "text", "shown"),
    [
        ((), "bob@example.com sk-", "bob@example.com sk-"),
        (
            (RedactionPattern(name="one", lead="x", chars="1", length=1),),
            "x x1 ax1 x11 x",
            "x [redacted] ax1 [redacted] x",
        ),
        ((RedactionPattern(name="hex", chars="0123456789abcdef", length=6),), "face facade-", "face [redacted]-"),
        (
            (RedactionPattern(name="dotted", chars="ab", joiners=".", length=3),),
            "a.b.a ab .a.b.a. a..",
            "[redacted] ab .[redacted]. a..",
        ),
        (
            (RedactionPattern(name="two words", lead="my key ", chars="12", length=2),),
            "my key 1 my key 12",
            "my key 1 [redacted]",
        ),
        (
            (RedactionPattern(name="joined", lead="k:", chars="12", joiners="-", length=2),),
            "k:1-2-. k:-12",
            "[redacted]-. k:-12",
        ),
    ],
)
def test_a_user_s_patterns_are_found_however_the_text_is_cut(
    patterns: tuple[RedactionPattern, ...], text: str, shown: str
) -> None:
    """Design §5: a lead or none, a class and a length."""
    for size in (1, 2, 3, 5, 100):
        redact = RedactFilter(patterns)
        pieces = [redact.feed(text[at : at + size]) for at in range(0, len(text), size)]
        assert "".join(pieces) + redact.flush() == shown


def test_every_default_pattern_finds_its_own() -> None:
    """Ours: a lead that is written wrong would never be noticed."""
    for pattern in DEFAULT_PATTERNS:
        secret = pattern.lead + pattern.chars[0] * pattern.length if pattern.lead else "a.b@mail.example.com"
        assert RedactFilter().redacted(f"x {secret}, y") == "x [redacted], y"
