"""Every rule of the tidy test finds what it forbids, and lets its neighbour pass.

Each row plants one file. A rule that cannot fail is worse than none: it is believed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repo.rules import comments, matches, mirror, names, purity, sizes, tested

_DEEP = "def f(a):\n" + "".join(f"{'    ' * depth}if a:\n" for depth in range(1, 6)) + "    " * 6 + "pass\n"
_FLAT = "def f(a):\n    if a == 1:\n        pass\n" + "".join(
    f"    elif a == {n}:\n        pass\n" for n in range(2, 9)
)
_METHODS = "class P:\n" + "".join(f"    def m{n}(self): ...\n" for n in range(9))
_CASE = "match a:\n    case 1:\n" + "        b = 1\n" * 5

FILES: list[tuple[Callable[[Path], list[str]], str, str]] = [
    (sizes.long_files, "a = 1\n" * 501, "a = 1\n" * 500),
    (sizes.long_functions, "def f():\n" + "    a = 1\n" * 70, "def f():\n" + "    a = 1\n" * 69),
    (sizes.long_classes, "class C:\n" + "    a = 1\n" * 350, "class C:\n" + "    a = 1\n" * 349),
    (sizes.many_parameters, "def f(a, b, c, *, d, e, f, g, h, i): ...\n", "def f(a, b, c, *, d, e, f, g, h): ...\n"),
    (
        sizes.many_parameters,
        "@cached()\ndef f(a, b, c, *, d, e, f, g, h, i): ...\n",
        "@app.command()\ndef f(a, b, c, *, d, e, f, g, h, i): ...\n",
    ),
    (sizes.many_positionals, "def f(a, b, c, d): ...\n", "def f(self, a, b, c, *, d): ...\ndef _g(a, b, c, d): ...\n"),
    (sizes.deep_nesting, _DEEP, _FLAT),
    (sizes.wide_ports, _METHODS, "class P:\n    def one(self): ...\n"),
    (sizes.wide_root, f"__all__ = {[f'n{n}' for n in range(41)]}\n", f"__all__ = {[f'n{n}' for n in range(40)]}\n"),
    (comments.history, "# v7.1 passes the scope\n", "# A2A 1.0 passes the scope\n"),
    (comments.history, "# broken by 7.7.8\n", "# 127.0.0.1 is this machine\n"),
    (comments.history, '"""Fixes #63."""\n', '"""Covers EV-1 and BR-031."""\n'),
    (comments.history, "# see issue 12\n", "# at issue is the order\n"),
    (comments.history, "# written 2026-04-01\n", "# MCP 2025-06-18 says so\n"),
    (comments.history, "# since May 2025\n", "# JSON schema 2020-12 says so\n"),
    (comments.history, "# mirrors engine.py:2241\n", "# mirrors the engine\n"),
    (comments.history, "# TODO write this\n", "# a list of things to do\n"),
    (comments.history, "# previously a list\n", "# a list\n"),
    (comments.bare_ignores, "a = 1  # noqa: E501\n", "a = 1  # noqa: E501 (a table reads better wide)\n"),
    (comments.bare_ignores, "a = 1  # noqa: E501, D103\n", "a = 1  # noqa: E501, D103 (any JSON)\n"),
    (comments.bare_ignores, "a = 1  # pragma: no cover\n", "a = 1  # pragma: no cover (only on a full disk)\n"),
    (comments.bare_ignores, "a = 1  # type: ignore[misc]\n", "a = 1  # type: ignore[misc]  # the stub is wrong\n"),
    (matches.long_cases, _CASE, _CASE.removesuffix("        b = 1\n")),
    (names.named_places, "index = '" + "https://py" + "pi.org/simple'\n", "index = None\n"),
    (names.named_places, "path = '/opt" + "/wheels/x'\n", "path = 'opt'\n"),
    (names.loose_locks, "a==1\n", "a==1 \\\n    --hash=sha256:00\n    # via b\n"),
    (names.loose_locks, "--find-links x\na==1 --hash=sha256:00\n", "a==1 --hash=sha256:00\nb==1 --hash=sha256:00\n"),
    (names.loose_locks, "a==1 --hash=sha256:00\nb>=2\n", "a==1 ; x == 'y' --hash=sha256:00\n"),
    (tested.sleeps, "await asyncio.sleep(0.1)\n".replace("await ", ""), "asyncio.sleep(0)\n"),
    (tested.sleeps, "asyncio.sleep(3600)\n", "import treadle.testing.virtual_time\nasyncio.sleep(3600)\n"),
    (tested.clocks, "time.perf_counter()\n", "clock.now()\n"),
    (tested.excused, "@pytest.mark.xfail\ndef test_a(): ...\n", "def test_a(): ...\n"),
    (
        tested.excused,
        "@pytest.mark.skipif(True, reason='flaky')\ndef test_a(): ...\n",
        "@pytest.mark.skipif(True, reason='platform: no file locks')\ndef test_a(): ...\n",
    ),
    (tested.undocumented, "def test_a():\n    assert a\n", 'def test_a():\n    """Ours."""\n    assert a\n'),
    (tested.autouse, "@pytest.fixture(autouse=True)\ndef a(): ...\n", "@pytest.fixture\ndef a(): ...\n"),
]

SOURCES: list[tuple[Callable[[Path, Path], list[str]], str, str, str]] = [
    (purity.foreign_imports, "kernel/a.py", "import asyncio\n", "import dataclasses\n"),
    (purity.foreign_imports, "text/a.py", "from random import choice\n", "from collections.abc import Iterator\n"),
    (purity.foreign_imports, "values/a.py", "import msgspec\n", "from treadle.errors import StateError\n"),
    (purity.foreign_imports, "codec/a.py", "import pydantic\n", "import msgspec\n"),
    (purity.foreign_imports, "errors.py", "import logging\n", "import typing\n"),
    (purity.waiting, "kernel/a.py", "async def f(): ...\n", "def f(): ...\n"),
    (purity.waiting, "framing/a.py", "async def f():\n    await g()\n", "def f():\n    g()\n"),
    (purity.rim_calls, "kernel/a.py", "now = datetime.now()\n", "now = clock\n"),
    (purity.rim_calls, "codec/a.py", "name = uuid.uuid4()\n", "name = uuid.UUID(int=1)\n"),
    (purity.rim_calls, "text/a.py", "print(1)\n", "shown(1)\n"),
    (purity.rim_calls, "values/a.py", "open('a')\n", "opened('a')\n"),
    (purity.root_imports, "runtime/a.py", "import treadle\n", "import treadle.errors\n"),
    (purity.root_imports, "runtime/a.py", "from treadle import Agent\n", "from treadle.app import Agent\n"),
    (purity.root_imports, "runtime/a.py", "from . import a\n", "from treadle.runtime import a\n"),
]


@pytest.mark.parametrize(("rule", "bad", "good"), FILES, ids=[f"{n}-{row[0].__name__}" for n, row in enumerate(FILES)])
def test_a_rule_over_files_finds_what_is_planted(
    tmp_path: Path, rule: Callable[[Path], list[str]], bad: str, good: str
) -> None:
    """Ours: a rule fails when it is broken, and only then."""
    path = tmp_path / "planted.py"
    path.write_text(bad)
    assert rule(path)
    path = tmp_path / "sound.py"
    path.write_text(good)
    assert rule(path) == []


@pytest.mark.parametrize(
    ("rule", "name", "bad", "good"), SOURCES, ids=[f"{n}-{row[0].__name__}" for n, row in enumerate(SOURCES)]
)
def test_a_rule_over_packages_finds_what_is_planted(
    tmp_path: Path, *, rule: Callable[[Path, Path], list[str]], name: str, bad: str, good: str
) -> None:
    """Ours: a rule fails when it is broken, and only then."""
    for folder, text in (("bad", bad), ("good", good)):
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        assert bool(rule(path, tmp_path / folder)) is (folder == "bad")


def test_what_is_forbidden_to_the_core_is_open_to_the_rim(tmp_path: Path) -> None:
    """Design: I/O at the rim."""
    path = tmp_path / "runtime" / "loop.py"
    path.parent.mkdir()
    path.write_text("import asyncio\nimport anyio\nasync def f():\n    print(open('a'))\n")
    for rule in (purity.foreign_imports, purity.waiting, purity.rim_calls):
        assert rule(path, tmp_path) == []


def test_a_module_named_for_nothing_is_found(tmp_path: Path) -> None:
    """Ours: no utils, helpers, common, base, manager; not as a folder either."""
    assert names.empty_names(tmp_path / "text" / "utils.py")
    assert names.empty_names(tmp_path / "common" / "tags.py")
    assert names.empty_names(tmp_path / "text" / "close_state.py") == []


def test_a_module_without_its_test_file_is_found(tmp_path: Path) -> None:
    """Ours: every module has its own test file, at the mirrored place."""
    source, tests = tmp_path / "treadle", tmp_path / "tests"
    (source / "text").mkdir(parents=True)
    (source / "text" / "tags.py").write_text("def f():\n    return 1\n")
    (source / "text" / "__init__.py").write_text("from treadle.text.tags import f\n")
    (source / "text" / "shapes.py").write_text(
        "from typing import Protocol\nclass P(Protocol):\n    def f(self): ...\n"
    )
    assert mirror.untested_modules(source, tests) == [
        f"{source / 'text' / 'tags.py'}: no test file {tests / 'text' / 'test_tags.py'}"
    ]
    (tests / "text").mkdir(parents=True)
    (tests / "text" / "test_tags.py").write_text("")
    assert mirror.untested_modules(source, tests) == []
