"""The root package: names that load what they name, when they are asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import treadle
from treadle.cli import entry


def test_every_public_name_is_what_its_home_calls_so() -> None:
    """Ours: the names of the root are those of the modules that hold them."""
    for name in treadle.__all__:
        value = getattr(treadle, name)
        home = getattr(value, "__module__", "treadle")
        assert name == "__version__" or getattr(importlib.import_module(home), name) is value


def test_what_is_not_there_is_an_attribute_error() -> None:
    """Ours: a typo is told as one."""
    with pytest.raises(AttributeError, match="no attribute 'Agnet'"):
        _ = treadle.Agnet


def test_all_names_are_listed_before_they_are_loaded() -> None:
    """Ours: a prompt that completes names knows them."""
    assert set(treadle.__all__) <= set(dir(treadle))


def test_the_module_is_the_command() -> None:
    """Ours: `python -m treadle` is `treadle`."""
    said = subprocess.run([sys.executable, "-m", "treadle", "--version"], capture_output=True, text=True, check=True)
    assert treadle.__version__ in said.stdout


def test_importing_the_command_runs_nothing() -> None:
    """Ours: whoever looks through the modules starts nothing."""
    module = importlib.import_module("treadle.__main__")
    assert module.main is entry.main


def test_a_name_whose_extra_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a server without its packages is a line to copy, not a hunt for who needed them."""
    monkeypatch.delitem(vars(treadle), "Server", raising=False)
    monkeypatch.delitem(sys.modules, "treadle.app.server", raising=False)
    monkeypatch.setitem(sys.modules, "starlette.types", None)
    with pytest.raises(ModuleNotFoundError) as told:
        treadle.Server  # noqa: B018 (the lookup is what is tested)
    assert str(told.value).endswith("install it with: python -m pip install 'treadle[server]'")
    assert told.value.name == "starlette.types"


def test_a_module_of_our_own_that_is_missing_is_no_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: what no extra brings is told as it is."""
    monkeypatch.delitem(vars(treadle), "Agent", raising=False)
    monkeypatch.setitem(sys.modules, "treadle.app.agent", None)
    with pytest.raises(ModuleNotFoundError, match=r"treadle\.app\.agent"):
        treadle.Agent  # noqa: B018 (the lookup is what is tested)
