"""Halves of surrogate pairs in a text that is there as a whole."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.framing.surrogates import whole_text

TEXTS = st.text(st.characters(codec=None, categories=None)) | st.text("\ud83d\ude00a日😀")


@given(text=TEXTS)
def test_whole_text_can_be_encoded_and_loses_no_whole_character(text: str) -> None:
    """BR-186: never an encoding error, and nothing is touched but halves."""
    joined = re.sub("[\ud800-\udbff][\udc00-\udfff]", lambda pair: _joined(pair[0]), text)
    whole = whole_text(text)
    whole.encode()
    assert whole == re.sub("[\ud800-\udfff]", "\ufffd", joined)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("a", "a"),
        ("grün", "grün"),
        ("\ud83d\ude00", "😀"),
        ("\ud83d", "\ufffd"),
        ("\ude00x", "\ufffdx"),
        ("a\ud83d\ude00b\ud83d\ud83d", "a😀b\ufffd\ufffd"),
    ],
)
def test_half_a_surrogate_pair_is_replaced_and_two_halves_are_one_character(text: str, whole: str) -> None:
    """BR-186: text that came in halves is whole again; what stays half never breaks an encoder."""
    assert whole_text(text) == whole


def _joined(pair: str) -> str:
    return chr(0x10000 + (ord(pair[0]) - 0xD800) * 0x400 + ord(pair[1]) - 0xDC00)
