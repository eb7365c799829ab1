"""What a test may not do.

In: test files. Out: findings. A test that sleeps is slow or wrong, one that is expected to fail says nothing, one that
measures time fails on a busy machine, and a mock proves what its author believed.
"""

from __future__ import annotations

import ast
from pathlib import Path

from tests.repo.rules.tree import dotted, functions, syntax

SLEEPS = frozenset({"asyncio.sleep", "time.sleep", "anyio.sleep", "sleep"})
CLOCKS = frozenset(
    {"time.perf_counter", "time.monotonic", "time.time", "time.process_time", "perf_counter", "monotonic"}
)
SKIPS = frozenset({"pytest.skip", "pytest.mark.skip", "pytest.mark.skipif", "pytest.importorskip"})


def sleeps(path: Path) -> list[str]:
    """Wait for the thing itself, at a barrier or on the virtual clock. A sleep of 0 lets others run and is fine."""
    if "treadle.testing.virtual_time" in path.read_text(encoding="utf-8"):
        return []
    return [
        f"{path}:{call.lineno}: sleeps"
        for call in _calls(path)
        if dotted(call.func) in SLEEPS
        and not (call.args and isinstance(call.args[0], ast.Constant) and not call.args[0].value)
    ]


def clocks(path: Path) -> list[str]:
    """How long it takes is the business of the bench."""
    return [f"{path}:{call.lineno}: reads a clock" for call in _calls(path) if dotted(call.func) in CLOCKS]


def excused(path: Path) -> list[str]:
    """A gap is a row in requirements.py; only a platform excuses a test, and the reason begins with that word."""
    expected = [
        f"{path}:{node.lineno}: xfail"
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Attribute) and dotted(node) in {"pytest.mark.xfail", "pytest.xfail"}
    ]
    return expected + [
        f"{path}:{call.lineno}: skipped without a reason of the platform"
        for call in _calls(path)
        if dotted(call.func) in SKIPS and not _says_platform(call)
    ]


def undocumented(path: Path) -> list[str]:
    """A test says in its docstring which fact it holds."""
    return [
        f"{path}:{node.lineno}: {node.name} has no docstring"
        for node in functions(syntax(path))
        if node.name.startswith("test_") and not ast.get_docstring(node)
    ]


def autouse(path: Path) -> list[str]:
    """What a test leans on stands in its signature."""
    return [
        f"{path}:{call.lineno}: autouse fixture"
        for call in _calls(path)
        if dotted(call.func) == "pytest.fixture" and any(word.arg == "autouse" for word in call.keywords)
    ]


def _calls(path: Path) -> list[ast.Call]:
    return [node for node in ast.walk(syntax(path)) if isinstance(node, ast.Call)]


def _says_platform(call: ast.Call) -> bool:
    words = [word.value for word in call.keywords if word.arg == "reason"] + call.args
    return any(
        isinstance(word, ast.Constant) and isinstance(word.value, str) and word.value.startswith("platform")
        for word in words
    )
