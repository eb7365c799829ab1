"""The strings of JSON text, changed by what they mean."""

from __future__ import annotations

import json

import pytest

from tests.text.cuts import cut
from treadle.text.filters.redact import RedactFilter
from treadle.text.json_strings import SCALAR_LIMIT_CHARS, JsonStrings
from treadle.text.redaction import DEFAULT_PATTERNS, RedactionPattern

KEY = "sk-" + "a1B2" * 6
ESCAPES = ("\\n", "\\t", "\\r", "\\b", "\\f", "\\/", "\\\\", '\\"', "\\u00e9", "\\u0000", "\\ud83d\\ude00", "\\ud83d")
_LEADING = [pattern for pattern in DEFAULT_PATTERNS if pattern.lead]
SECRETS = (
    *(one.lead + next(sign for sign in one.chars if sign.isalnum()) * (one.length + 4) for one in _LEADING),
    "bob@example.com",
)


def walked(*pieces: str) -> str:
    """What comes out of pieces, all told."""
    one = JsonStrings(RedactFilter())
    return "".join(map(one.feed, pieces)) + one.flush()


def looked_at(text: str, size: int) -> int:
    """How many characters are looked at while a text goes through in pieces of one size, and ends."""
    one = JsonStrings(RedactFilter())
    for piece in cut(text, range(0, len(text), size)):
        one.feed(piece)
    one.flush()
    return one.looked_at_chars


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_hides_behind_an_escape_wherever_it_is_cut(secret: str, escape: str) -> None:
    """Ours: the letter of an escape is no letter before a lead; as a key and as a value, whole and cut everywhere."""
    said = f"{escape}{secret}"
    text = f'{{"{said}":"{said}"}}'
    ((key, value),) = json.loads(walked(text)).items()
    assert key == value
    assert value.endswith("[redacted]")
    assert secret not in value
    assert {walked(text[:at], text[at:]) for at in range(len(text) + 1)} == {walked(text)} == {walked(*text)}


@pytest.mark.parametrize("secret", [KEY, "Bearer abcdefghijklmnop", "bob@example.com"])
def test_no_secret_hides_in_escapes(secret: str) -> None:
    """Ours: what is looked at is what the text means."""
    for at in range(len(secret)):
        text = f'["{secret[:at]}\\u{ord(secret[at]):04X}{secret[at + 1 :]}"]'
        assert walked(text) == walked(*text) == '["[redacted]"]'
    assert walked("[" + "".join(f'"\\u{ord(sign):04x}",' for sign in secret)[:-1] + "]").count("[redacted]") == 0


def test_what_nothing_is_done_to_stays_as_it_is_written() -> None:
    """Ours: escapes that JSON demands, in their short form, and all that stands outside of strings."""
    text = ' {"a b" :\t[ "\\n\\"\\\\\\u001f", 1, -0.5e+3,true ,false,null, "é日\U0001f600\u2028" ] }\r\n'
    assert walked(text) == walked(*text) == text
    assert walked('["\\u00e9\\/\\u001F\\u000a"]') == '["é/\\u001f\\n"]'


def test_pairs_of_escapes_are_joined_and_halves_replaced() -> None:
    """RFC 8259, 7: a character past U+FFFF is a pair of escapes. A string is a world of its own."""
    assert walked(*'["\\ud83d\\ude00","\\ud83d","\\ude00 \\ud83dx"]') == '["\U0001f600","\ufffd","\ufffd \ufffdx"]'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"call it with {KEY} now", "call it with [redacted] now"),
        (f'{{key: {KEY}, "a": "\\n{KEY}"}}', '{key: [redacted], "a": "\\n[redacted]"}'),
        (f"{{'a': 'Bearer {'x' * 20}'}}", "{'a': '[redacted]'}"),
        ('{"a": 12bob@example.com}', '{"a": [redacted]}'),
        (f'{{"a": "\\n{KEY}', '{"a": "\\n[redacted]'),
        (f'{{"a": "\\{KEY}"}}', '{"a": "\\[redacted]"}'),
        (f'{{"a": "line\n{KEY}\\n{KEY}"}}', '{"a": "line\n[redacted]\\n[redacted]"}'),
        (f'{{"a": "\\u12 {KEY}"}}', '{"a": "\\u12 [redacted]"}'),
        (f'{{"a": 1}}{{"b": "\\t{KEY}"}}]]', '{"a": 1}{"b": "\\t[redacted]"}]]'),
        ('["a\\', '["a\\'),
        ('["a\\u00', '["a\\u00'),
        ("[tru", "[tru"),
        ("[01, 1., -, .5, NaN, nul]", "[01, 1., -, .5, NaN, nul]"),
    ],
)
def test_damaged_text_is_read_on_and_stays_damaged(text: str, shown: str) -> None:
    """Ours: what a call says that cannot run is shown too, so it is looked at all the same; nothing is repaired."""
    assert walked(text) == walked(*text) == shown


def test_a_number_is_no_string() -> None:
    """Ours: as in the values of other events; only what turns out to be no number is looked at."""
    digits = RedactFilter([RedactionPattern(name="card", chars="0123456789", length=16)])
    one = JsonStrings(digits)
    card = "4" * 16
    assert (
        one.feed(f'[{card}, "{card}", {card}') + one.feed("x, 1]") + one.flush()
        == f'[{card}, "[redacted]", [redacted]x, 1]'
    )
    assert one.feed(f"{card} {card}:x{card} ") + one.flush() == f"{card} {card}:x[redacted] "


@pytest.mark.parametrize("size", [SCALAR_LIMIT_CHARS - 1, SCALAR_LIMIT_CHARS, SCALAR_LIMIT_CHARS + 1, 2_000])
def test_what_is_held_outside_of_strings_is_bounded(size: int) -> None:
    """Ours: a number may be of any length, and passes; what only begins like one is read as words."""
    for text in (f"[{'1' * size}, 0.{'1' * size}e5]", f"[{'1' * size}{KEY}]", f"[{'e' * size} {KEY}]"):
        one = JsonStrings(RedactFilter())
        shown, most = "", 0
        for at, sign in enumerate(text, 1):
            shown += one.feed(sign)
            most = max(most, at - len(shown))
        assert most <= SCALAR_LIMIT_CHARS + len(KEY)
        assert shown + one.flush() == walked(text)
    assert walked(f"[{'1' * size}, 0.{'1' * size}e5]") == f"[{'1' * size}, 0.{'1' * size}e5]"


def test_it_is_as_new_after_its_text() -> None:
    """Ours: nothing of one text reaches the next."""
    one = JsonStrings(RedactFilter())
    for text in ('["a', '["\\ud83d', '["\\u00', "[1", "[x sk-", f"[{'1' * 400}"):
        one.feed(text)
        one.flush()
        assert one.feed('["\\n"]') + one.flush() == '["\\n"]'


@pytest.mark.parametrize(
    "part",
    ["\\n", "\\u0041", "\\ud83d", "\\", "\x01", '"', '", "', "1", "e", "x ", "sk-", "bob@", KEY + "\\n", "\\u12"],
)
@pytest.mark.parametrize("begin", ["", '["'])
@pytest.mark.parametrize("size", [1, 7, 1_000_000])
@pytest.mark.untraced
def test_a_character_costs_the_same_in_a_long_text(part: str, begin: str, size: int) -> None:
    """Design §5: linear, however the text is made and cut."""
    texts = [begin + part * (count // len(part)) for count in (2_000, 20_000)]
    costs = [looked_at(text, size) / len(text) for text in texts]
    assert costs[1] <= 1.25 * costs[0]
    assert costs[1] <= 400


def test_the_cost_counts_a_character_as_often_as_it_is_looked_at() -> None:
    """Ours: JSON once, what stands in its strings by the filter too, and what is held again with the next piece."""
    assert looked_at("[]", 1) == looked_at("[]", 2) == len("[]")
    assert looked_at('["sk-"]', 7) > len('["sk-"]')
    assert looked_at('["sk-"]', 7) < looked_at('["sk-"]', 1)
