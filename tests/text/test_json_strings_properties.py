"""The strings of JSON text, for all texts and all cuts."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from tests.text.cuts import cut, with_halves
from tests.text.test_json_strings import ESCAPES, SECRETS, walked
from treadle.framing.surrogates import whole_text
from treadle.text.filters.redact import RedactFilter
from treadle.text.json_strings import JsonStrings
from treadle.text.strings import map_strings

REDACT = RedactFilter()
PLACES = st.lists(st.integers(0, 500), max_size=8)

words = st.one_of(
    st.text(st.characters(codec="utf-8")),
    with_halves(8),
    st.lists(st.sampled_from([*SECRETS, "\n", "é", "\\", "a ", "/"])).map("".join),
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), words)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4), max_leaves=8
)
broken = st.lists(
    st.sampled_from(
        [
            *SECRETS,
            *ESCAPES,
            '"',
            '"',
            "\\",
            "\\u",
            "\\u00",
            "\\x",
            "\n",
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            " ",
            "1",
            "-1.5e3",
            "true",
            "nul",
            "k",
            "é",
        ]
    ),
    max_size=16,
).map("".join)


@st.composite
def escaped(draw: st.DrawFn) -> str:
    """Write a value as JSON, some of its characters escaped that need not be."""
    text = json.dumps(
        map_strings(draw(values), whole_text), ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1]))
    )
    chosen = draw(st.sets(st.sampled_from("sk-bB@ea.")))

    def inside(string: re.Match[str]) -> str:
        parts = re.split(r"(\\u....|\\.)", string.group()[1:-1])
        plain = ["".join(f"\\u{ord(sign):04x}" if sign in chosen else sign for sign in part) for part in parts[::2]]
        return '"' + "".join(a + b for a, b in zip(plain, [*parts[1::2], ""], strict=True)) + '"'

    return re.sub(r'"(?:[^"\\]|\\.)*"', inside, text)


@given(escaped(), PLACES)
def test_of_json_comes_the_json_of_the_redacted_value(text: str, places: list[int]) -> None:
    """Ours: argument pieces, joined, are what the call shows."""
    shown = walked(*cut(text, places))
    assert json.loads(shown) == map_strings(json.loads(text), REDACT.redacted)


@given(values, st.booleans())
def test_halves_become_what_they_become_in_the_call(value: object, ensure_ascii: bool) -> None:  # noqa: FBT001 (it is drawn)
    """Ours: joined where they meet, else U+FFFD, before anything is looked for."""
    text = json.dumps(value, ensure_ascii=ensure_ascii)
    want = map_strings(map_strings(json.loads(text), whole_text), REDACT.redacted)
    assert json.loads(walked(text)) == want


@given(broken | escaped() | with_halves(), PLACES)
def test_no_cut_changes_what_comes_out(text: str, places: list[int]) -> None:
    """Promise 9, for whatever a model may write."""
    assert walked(*cut(text, places)) == walked(*text) == walked(text)


@given(broken, st.sampled_from(SECRETS), broken)
def test_no_secret_is_shown_that_the_plain_filter_would_have_seen(before: str, secret: str, after: str) -> None:
    """Ours: damaged text is looked at no less than other text."""
    secret = secret.replace("bob", "amy")  # said nowhere else: with more behind it, an address is none
    text = f"{before} {secret} {after}"
    assert f" {secret}" not in walked(text)


@given(st.lists(words.map(whole_text), max_size=4))
def test_what_nothing_is_done_to_is_the_same_text(said: list[str]) -> None:
    """Ours: with no pattern, text in its shortest escapes comes out as it is."""
    text = json.dumps(said, ensure_ascii=False)
    one = JsonStrings(RedactFilter(()))
    assert one.feed(text) + one.flush() == text
