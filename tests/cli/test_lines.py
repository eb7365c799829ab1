"""What a person types, a line at a time."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from tests.cli.command import environment
from treadle.cli import lines


def test_lines_come_from_a_pipe_one_by_one_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: the input may be a file, and its last line may lack an end."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("one\r\n\ntwo"))
    assert [lines.next_line() for _ in range(4)] == ["one", "", "two", None]


def test_a_whole_input_loses_only_the_line_break_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: `echo question |` asks what was echoed, and an indented question stays so."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("  one\n\ntwo\n"))
    assert lines.whole_input() == "  one\n\ntwo"


def test_without_an_input_there_is_nothing_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a closed input is an empty one."""
    monkeypatch.setattr(sys, "stdin", None)
    lines.read_anything()
    assert (lines.next_line(), lines.whole_input()) == (None, "")


@pytest.mark.slow
def test_bytes_that_are_no_text_are_replaced_whatever_the_locale() -> None:
    """Ours: nobody can make the command fail by what is piped into it."""
    program = "from treadle.cli import lines; lines.read_anything(); print(ascii(lines.whole_input()))"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input="é".encode() + b"\xff\n", env=environment(PYTHONIOENCODING="ascii"), capture_output=True,
        timeout=30, check=True,
    )  # fmt: skip
    assert ran.stdout == b"'\\xe9\\ufffd'\n"
