"""What the command says beside its output."""

from __future__ import annotations

import sys

import pytest

from treadle.cli.diagnostics import complain


def test_a_diagnostic_is_one_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: stdout belongs to the answer, and foreign control codes to nobody."""
    complain("no\n\x1b[31mway")
    assert capsys.readouterr() == ("", "no\\n\\x1b[31mway\n")


def test_without_a_stderr_nothing_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: with stderr closed, a diagnostic must not turn up on stdout."""
    monkeypatch.setattr(sys, "stderr", None)
    complain("no way")
    assert capsys.readouterr().out == ""
