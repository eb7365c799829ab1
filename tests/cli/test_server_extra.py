"""Parts of the command that need a server's modules."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from treadle.cli import lines
from treadle.cli.exits import CommandMisuseError
from treadle.cli.server_extra import needing_server


def test_a_part_is_loaded_or_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: the line names what is done, what is missing and how it comes."""
    assert needing_server("treadle.cli.lines", doing="reading") is lines

    def missing(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named {name!r}", name="starlette")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(CommandMisuseError, match=r"replaying needs the module 'starlette'; .* 'treadle\[server\]'"):
        needing_server("treadle.cli.lines", doing="replaying")
