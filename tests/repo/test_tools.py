"""The configuration of ruff, mypy and import-linter finds what the house forbids.

Each row plants one violation in a folder of its own and asks the tool with the project's own configuration.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.repo.rules.purity import ALLOWED
from tests.repo.rules.tree import ROOT, SRC

BIN = Path(sys.executable).parent
CONFIG = ROOT / "pyproject.toml"
CONTRACTS = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
LAYERS = [
    [name.strip("() ") for name in layer.split("|")]
    for contract in CONTRACTS
    if contract["id"] == "layers"
    for layer in contract["layers"]
]

SKELETON = [f"{name}/__init__.py" for layer in LAYERS for name in layer if name != "errors"] + [
    "__init__.py",
    "_version.py",
    "errors.py",
    "adapters/models/__init__.py",
    "adapters/models/one.py",
    "adapters/models/other.py",
    "adapters/stores/__init__.py",
    "adapters/stores/one.py",
    "adapters/stores/other.py",
    "adapters/toolboxes/__init__.py",
    "adapters/toolboxes/one.py",
    "adapters/toolboxes/other.py",
    "adapters/sources/__init__.py",
    "adapters/sources/one.py",
    "adapters/sources/other.py",
    "projections/one/__init__.py",
    "projections/other/__init__.py",
    "text/filters/__init__.py",
    "text/filters/one.py",
    "text/filters/other.py",
    "runtime/first/__init__.py",
    "runtime/second/__init__.py",
]

IMPORTS = [
    ("layers", {"kernel/machine.py": "import treadle.runtime\n"}),
    ("layers", {"values/a.py": "import treadle.framing\n"}),
    ("layers", {"kernel/machine.py": "import treadle.ports\n"}),
    ("layers", {"text/a.py": "import treadle.projections\n"}),
    ("layers", {"adapters/a.py": "import treadle.server\n"}),
    ("layers", {"app/a.py": "import treadle.testing\n"}),
    ("layers", {"errors.py": "import treadle.values\n"}),
    ("layers", {"elsewhere/__init__.py": ""}),
    ("core", {"kernel/machine.py": "import asyncio\n"}),
    ("core", {"values/a.py": "from random import choice\n"}),
    ("core", {"text/a.py": "import time\n"}),
    ("core", {"framing/a.py": "import os\n"}),
    ("core", {"errors.py": "import logging\n"}),
    ("projections", {"projections/one/a.py": "import treadle.projections.other\n"}),
    ("adapters", {"adapters/models/one.py": "import treadle.adapters.stores.one\n"}),
    ("models", {"adapters/models/one.py": "import treadle.adapters.models.other\n"}),
    ("stores", {"adapters/stores/one.py": "import treadle.adapters.stores.other\n"}),
    ("toolboxes", {"adapters/toolboxes/one.py": "import treadle.adapters.toolboxes.other\n"}),
    ("sources", {"adapters/sources/one.py": "import treadle.adapters.sources.other\n"}),
    ("filters", {"text/filters/one.py": "import treadle.text.filters.other\n"}),
    (
        "siblings",
        {
            "runtime/first/a.py": "import treadle.runtime.second.b\n",
            "runtime/second/b.py": "import treadle.runtime.first.a\n",
        },
    ),
]

_LONG = "".join(f"    if a == {n}:\n        b = {n}\n" for n in range(13))
LINT = [
    ("TID251", "import time\n\nnow = time.time()\n"),
    ("TID251", "from datetime import datetime\n\nnow = datetime.now()\n"),
    ("TID251", "import uuid\n\nname = uuid.uuid4()\n"),
    ("TID251", "from unittest.mock import Mock\n\nmock = Mock()\n"),
    ("TID251", "import asyncio\n\nasyncio.ensure_future(None)\n"),
    ("TID251", "import asyncio\n\nasyncio.get_event_loop()\n"),
    ("TID252", "from . import a\n"),
    ("PLC0415", "def f():\n    import json\n"),
    ("F401", "import json\n"),
    ("I001", "import sys\nimport json\n\nprint(sys, json)\n"),
    ("BLE001", "try:\n    pass\nexcept Exception:\n    pass\n"),
    ("B006", "def f(a=[]): ...\n"),
    ("C901", f"def f(a):\n{_LONG}"),
    ("PLR0912", f"def f(a):\n{_LONG}"),
    ("PLR0913", "def f(a, b, c, *, d, e, f, g): ...\n"),
    ("PLR0915", "def f():\n" + "    a = 1\n" * 41),
    ("ERA001", "# a = f(1)\n"),
    ("FBT001", "def f(a: bool): ...\n"),
    ("T201", "print(1)\n"),
    ("SLF001", "a = b._c\n"),
    ("N801", "class a: ...\n"),
    ("ANN401", "from typing import Any\n\n\ndef f(a: Any) -> None: ...\n"),
    ("ASYNC251", "import time\n\n\nasync def f():\n    time.sleep(1)\n"),
    ("DTZ001", "import datetime\n\na = datetime.datetime(1, 1, 1)\n"),
    ("D100", "a = 1\n"),
    ("D101", "class A: ...\n"),
    ("D103", "def f(): ...\n"),
    ("PTH123", "open('a')\n"),
    ("RET504", "def f():\n    a = g()\n    return a\n"),
    ("A001", "list = 1\n"),
    ("ARG001", "def f(a):\n    return 1\n"),
    ("FIX002", "# TODO: a\n"),
    ("E501", f"a = '{'b' * 120}'\n"),
]

TYPES = '''"""Planted."""
from typing import Literal, NewType, assert_never

CallId = NewType("CallId", str)


def untyped(a):
    return a


def wants(call_id: CallId) -> None: ...


wants("c1")


def closed(word: Literal["a", "b"]) -> int:
    match word:
        case "a":
            return 1
        case _:
            assert_never(word)


x: int = "a"  # type: ignore
'''


def _plant(tmp_path: Path, files: dict[str, str]) -> None:
    for name in [*SKELETON, *files]:
        path = tmp_path / "src" / "treadle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files.get(name, ""))


def _lint_imports(tmp_path: Path, contract: str) -> subprocess.CompletedProcess[str]:
    command = [BIN / "lint-imports", CONFIG, "--no-cache", "--contract", contract]
    return subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "src")}, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(("contract", "files"), IMPORTS, ids=[f"{n}-{row[0]}" for n, row in enumerate(IMPORTS)])
def test_an_arrow_that_the_layers_forbid_is_found(tmp_path: Path, contract: str, files: dict[str, str]) -> None:
    """Design: data goes one way, and siblings do not know each other."""
    _plant(tmp_path, files)
    done = _lint_imports(tmp_path, contract)
    assert done.returncode == 1, done.stderr
    assert "BROKEN" in done.stdout, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("contract", [contract["id"] for contract in CONTRACTS])
def test_a_tree_that_keeps_the_layers_passes(tmp_path: Path, contract: str) -> None:
    """Ours: the contracts fail for what is planted, and for nothing else."""
    _plant(tmp_path, {})
    done = _lint_imports(tmp_path, contract)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("code", "text"), LINT, ids=[f"{n}-{row[0]}" for n, row in enumerate(LINT)])
def test_what_the_linter_forbids_is_found(code: str, text: str) -> None:
    """Ours: each rule of the page is one that ruff is told to keep."""
    command = [BIN / "ruff", "check", "--config", CONFIG, "--output-format", "concise", "--no-cache"]
    command += ["--stdin-filename", str(SRC / "runtime" / "planted.py"), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f" {code} " in done.stdout


def test_a_file_that_is_not_formatted_is_found() -> None:
    """Ours: one layout, written by a program."""
    command = [BIN / "ruff", "format", "--config", CONFIG, "--check", "--stdin-filename", str(SRC / "planted.py"), "-"]
    assert subprocess.run(command, input="a = 'b'\n", capture_output=True, text=True, check=False).returncode == 1
    assert subprocess.run(command, input='a = "b"\n', capture_output=True, text=True, check=False).returncode == 0


@pytest.mark.slow
def test_what_the_types_forbid_is_found(tmp_path: Path) -> None:
    """Ours: a closed union that grows, an id that is only a string, a function without types and a bare ignore."""
    path = tmp_path / "planted.py"
    path.write_text(TYPES)
    command = [sys.executable, "-m", "mypy", "--config-file", CONFIG, "--cache-dir", str(tmp_path / "cache"), str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    for code in ("no-untyped-def", "arg-type", "ignore-without-code"):
        assert f"[{code}]" in done.stdout, done.stdout
    assert "assert_never" in done.stdout


def test_every_package_that_is_there_is_held_to_its_layer() -> None:
    """Ours: only a missing package stands in parentheses, and every pure one that is there is in the core."""
    contracts = {contract["id"]: contract for contract in CONTRACTS}
    listed = " | ".join(contracts["layers"]["layers"]).split(" | ")
    there = {path.stem for path in SRC.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert {f"({name})" for name in there} & set(listed) == set()
    assert {f"treadle.{name}" for name in there & ALLOWED.keys()} - set(contracts["core"]["source_modules"]) == set()
