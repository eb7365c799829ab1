"""Who sits at this machine."""

from __future__ import annotations

import getpass

import pytest

from treadle.cli.user_names import user_name


def test_whoever_sits_here_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a decision is remembered with somebody, also where the system knows nobody."""
    assert user_name() == getpass.getuser()

    def unknown() -> str:
        raise KeyError("no such user")

    monkeypatch.setattr(getpass, "getuser", unknown)
    assert user_name() == "somebody"
