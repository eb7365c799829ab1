"""The pure core in an interpreter that has nothing but the standard library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.rules.tree import ROOT, SRC

CORE = ("errors", "framing", "kernel", "text", "values")

# Loaded by an import of the core, these would mean that it can wait, draw, look at the clock or reach outside.
RIM = frozenset(
    {
        "asyncio", "concurrent.futures", "http", "http.client", "logging", "multiprocessing", "queue", "random",
        "sched", "secrets", "select", "selectors", "socket", "sqlite3", "ssl", "subprocess", "tempfile",
        "urllib.request", "uuid",
    }
)  # fmt: skip

_PROGRAM = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
for name in json.loads(sys.argv[2]):
    importlib.import_module(name)
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded_by(names: list[str], source: Path, *flags: str) -> set[str]:
    """Import modules in an interpreter of their own, and say which modules that brought in."""
    command = [sys.executable, *flags, "-c", _PROGRAM, str(source), json.dumps(names)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def modules_of(package: str, source: Path) -> list[str]:
    """List the modules of one package of the core by their dotted names."""
    top = source / "treadle" / package
    files = [top.with_suffix(".py")] if top.with_suffix(".py").is_file() else sorted(top.rglob("*.py"))
    parts = [path.relative_to(source).with_suffix("").parts for path in files]
    return [".".join(part for part in names if part != "__init__") for names in parts]


def foreign(loaded: set[str]) -> set[str]:
    """Name the modules that are neither ours nor the standard library's, or that stand at the rim."""
    outside = {name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names | {"treadle"}}
    return outside | (loaded & RIM)


@pytest.mark.parametrize("package", CORE)
def test_the_core_needs_the_standard_library_alone(package: str) -> None:
    """Design: values, kernel, text, framing and errors are standard library only, and touch nothing outside."""
    names = modules_of(package, ROOT / "src")
    assert names, f"no module in {package}"
    assert foreign(loaded_by(names, ROOT / "src", "-I", "-S")) == set()


def test_the_root_package_loads_nothing_else() -> None:
    """Design: `import treadle` loads no third-party module, and of Treadle only itself."""
    loaded = loaded_by(["treadle"], ROOT / "src", "-I")
    assert {name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names} <= {
        "treadle",
        "treadle._version",
    }
    assert loaded & RIM == set()


@pytest.mark.parametrize("line", ["import asyncio", "import socket", "from random import choice"])
def test_a_core_that_reaches_outside_is_found(tmp_path: Path, line: str) -> None:
    """Ours: the rule can fail."""
    (tmp_path / "treadle" / "kernel").mkdir(parents=True)
    (tmp_path / "treadle" / "kernel" / "machine.py").write_text(f"{line}\n")
    assert foreign(loaded_by(modules_of("kernel", tmp_path), tmp_path, "-I", "-S"))


def test_a_core_that_needs_a_library_is_found(tmp_path: Path) -> None:
    """Ours: the rule can fail."""
    (tmp_path / "treadle").mkdir()
    (tmp_path / "treadle" / "errors.py").write_text("import bystander\n")
    (tmp_path / "bystander.py").write_text("")
    assert foreign(loaded_by(modules_of("errors", tmp_path), tmp_path, "-I", "-S")) == {"bystander"}


def test_the_package_is_marked_as_typed() -> None:
    """Packaging: without the marker, a checker does not read the types of an installed package."""
    assert (SRC / "py.typed").is_file()
