"""The names of `treadle.testing`: loaded when they are first used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import treadle.testing as public

SRC = Path(__file__).resolve().parents[2] / "src"


@pytest.mark.parametrize("name", public.__all__)
def test_every_public_name_leads_to_its_home(name: str) -> None:
    """One object under two names (ours)."""
    home = importlib.import_module(public._HOMES[name])  # noqa: SLF001 (the table is what is tested)
    assert getattr(public, name) is getattr(home, name)
    assert name in dir(public)


def test_the_table_and_the_list_of_names_are_one() -> None:
    """No name without a home, no home without a name (ours)."""
    assert sorted(public._HOMES) == sorted(public.__all__)  # noqa: SLF001 (the table is what is tested)


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    """As of any module (ours)."""
    with pytest.raises(AttributeError, match=r"'treadle\.testing' has no attribute 'mock'"):
        public.mock  # noqa: B018 (the lookup is what is tested)


def test_the_import_loads_nothing_else() -> None:
    """Who asks for a check does not pay for a server (ours)."""
    program = "import sys, treadle.testing; print(*sorted(n for n in sys.modules if n.startswith('treadle')))"
    told = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
        env={"PYTHONPATH": str(SRC)},
    )
    assert told.stdout.split() == ["treadle", "treadle._version", "treadle.testing"]
