"""Text with styles to what a terminal is sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.cli.ink import CALL, DIM, Ink

COLOURLESS = ("NO_COLOR", "COLORTERM", "FORCE_COLOR", "TTY_COMPATIBLE")


@given(st.lists(st.text(st.sampled_from("ab \t\n[red]:x:é"), min_size=1)))
def test_without_a_terminal_text_is_what_was_put(pieces: list[str]) -> None:
    """Ours: nothing wraps, trims or reads markup, however long a piece is."""
    ink = Ink(terminal=False)
    for piece in pieces:
        ink.put(piece * 50, DIM)
    assert ink.taken() == "".join(piece * 50 for piece in pieces)
    assert ink.taken() == ""


def test_a_terminal_is_sent_its_own_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """ECMA-48: 2 is faint, 36 is cyan, 0 ends both."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in COLOURLESS:
        monkeypatch.delenv(name, raising=False)
    ink = Ink(terminal=True)
    ink.put("a", DIM)
    ink.put("b", CALL)
    ink.put("c")
    assert ink.taken() == "\x1b[2ma\x1b[0m\x1b[36mb\x1b[0mc"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colours_gets_none(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """no-color.org, terminfo."""
    for other in COLOURLESS:
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv(name, value)
    ink = Ink(terminal=True)
    ink.put("b", CALL)
    assert ink.taken() == "b"
