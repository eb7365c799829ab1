"""Secrets."""

from __future__ import annotations

from treadle.text.filters.redact import RedactFilter, redact
from treadle.text.redaction import WORD_LIMIT_CHARS


def test_the_strings_of_a_value_are_redacted() -> None:
    """Design §5: over the strings of other events too; the value itself, which the tool gets, is untouched."""
    arguments = {"to": ["bob@example.com", 5], "note": {"key": "sk-abcdefghijklmnopqrst"}, "n": None}
    assert redact(arguments) == {"to": ["[redacted]", 5], "note": {"key": "[redacted]"}, "n": None}
    assert arguments["to"] == ["bob@example.com", 5]
    assert (redact("a bob@example.com"), redact(()), redact("bob@example.com", ())) == (
        "a [redacted]",
        [],
        "bob@example.com",
    )


def test_argument_text_is_redacted_piece_by_piece() -> None:
    """Design §4: an instance a call; the JSON around a secret stays JSON."""
    one = RedactFilter()
    pieces = ['{"to": "bo', "b@exam", 'ple.com", "k": "sk-abcdefgh', "ijklmnopqrst", 'uv", "n": 1}']
    assert "".join(map(one.feed, pieces)) + one.flush() == '{"to": "[redacted]", "k": "[redacted]", "n": 1}'


def test_a_secret_goes_at_once_and_its_rest_with_it() -> None:
    """Ours: no more of it is held than makes it a secret, however long it goes on."""
    one = RedactFilter()
    assert one.feed("sk-" + "a" * 16) == "[redacted]"
    assert [one.feed("a" * 1000), one.feed("."), one.feed(" b ")] == ["", ".", " b "]
    bearer = [one.feed(text) for text in ("Bearer abcdefghijklmnop", ".", "q", ".", " ")]
    assert bearer == ["[redacted]", "", "", "", ". "]


def test_a_word_past_the_limit_is_let_go() -> None:
    """Design §5: what is held is bounded; what follows such a word is none."""
    one = RedactFilter()
    word = "a" * WORD_LIMIT_CHARS
    assert (one.feed(word), one.feed("b"), one.feed("@example.com x ")) == ("", word + "b", "@example.com x ")
    address = "a" * (WORD_LIMIT_CHARS - 12) + "@example.com"
    assert one.feed(address + " ") == "[redacted] "


def test_the_end_of_a_passage_ends_a_secret() -> None:
    """Ours: what was held is decided by what is there."""
    one = RedactFilter()
    assert (one.feed("bob@example.com."), one.flush()) == ("", "[redacted].")
    assert (one.feed("Bearer abcdefghijklmnop."), one.flush()) == ("[redacted]", ".")
    assert (one.feed("Bearer abc"), one.flush()) == ("", "Bearer abc")
