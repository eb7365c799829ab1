"""Which store a command is about."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from treadle.cli.exits import CommandMisuseError
from treadle.cli.store_choice import existing, opened, path_of, upgraded
from treadle.errors import StoreOwnedError


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (None, "runs.db"),
        ("", "runs.db"),
        ("a/b.db", "a/b.db"),
        ("sqlite:///a.db", "a.db"),
        ("sqlite:////var/a.db", "/var/a.db"),
        ("sqlite:///", "runs.db"),
    ],
)
def test_a_store_is_named_by_its_file_or_as_a_runner_names_it(given: str | None, path: str) -> None:
    """docs/cli.md: one variable serves both."""
    assert path_of(given) == Path(path)


def test_a_store_must_be_there_and_be_a_file(tmp_path: Path) -> None:
    """docs/cli.md: a mistyped path is a misuse."""
    with pytest.raises(CommandMisuseError, match="is not there"):
        existing(str(tmp_path / "runs.db"))
    with pytest.raises(CommandMisuseError, match="is no file"):
        existing(str(tmp_path))
    (tmp_path / "runs.db").touch()
    assert existing(str(tmp_path / "runs.db")) == tmp_path / "runs.db"


async def test_a_store_is_owned_while_it_is_open_and_no_longer(tmp_path: Path) -> None:
    """Design §6: one owner by file lock."""
    path = tmp_path / "runs.db"
    async with opened(path) as store:
        assert await store.find("default") == []
        with pytest.raises(StoreOwnedError):
            upgraded(path)
    had, has = upgraded(path)
    assert had == has


def test_a_python_without_sqlite_is_told_so_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ours: some are built without it, and the commands that keep no runs need none."""

    def missing(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named {name!r}", name="_sqlite3")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(CommandMisuseError, match="'_sqlite3'"):
        upgraded(tmp_path / "runs.db")
