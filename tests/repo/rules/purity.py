"""What the pure packages may lean on.

In: files of src/treadle. Out: findings. Beside import-linter, which sees modules, this sees names: a call of a clock,
an `await`, a drawn id, a library that this package may not know.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from tests.repo.rules.tree import dotted, syntax

# Pure packages, and the modules each may import beyond the pure part of the standard library.
ALLOWED: dict[str, frozenset[str]] = {
    "errors": frozenset(),
    "values": frozenset(),
    "framing": frozenset(),
    "kernel": frozenset(),
    "text": frozenset(),
    # A path is a foreign value like a date: the codec knows the class to say it as text, and opens nothing.
    "codec": frozenset({"msgspec", "pathlib"}),
    "projections": frozenset({"msgspec"}),
    # A tool that asks whether its call is stopped has no parameter for it; the flag reaches it through its context.
    "plan": frozenset({"pydantic", "pydantic_core", "contextvars"}),
}
RIM_MODULES = frozenset(
    {
        "asyncio", "concurrent", "contextvars", "http", "io", "logging", "multiprocessing", "os", "pathlib",
        "queue", "random", "sched", "secrets", "select", "selectors", "shutil", "signal", "socket", "sqlite3",
        "ssl", "subprocess", "tempfile", "threading", "time", "urllib", "warnings",
    }
)  # fmt: skip
RIM_CALLS = frozenset(
    {
        "open", "input", "print", "breakpoint", "datetime.now", "datetime.utcnow", "datetime.today",
        "date.today", "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.date.today",
        "sys.stdin.read", "sys.stdout.write", "sys.exit", "uuid.uuid1", "uuid.uuid4", "uuid1", "uuid4",
    }
)  # fmt: skip
_AWAITING = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)


def package_of(path: Path, source: Path) -> str:
    """Name the package of `source` that a file belongs to."""
    return path.relative_to(source).parts[0].removesuffix(".py")


def foreign_imports(path: Path, source: Path) -> list[str]:
    """A pure package imports the standard library's pure parts, Treadle below it, and what it is allowed."""
    allowed = ALLOWED.get(package_of(path, source))
    if allowed is None:
        return []
    fine = (sys.stdlib_module_names - RIM_MODULES) | allowed | {"treadle"}
    return [f"{path}:{line}: imports {name}" for line, name in _imported(path) if name.split(".")[0] not in fine]


def waiting(path: Path, source: Path) -> list[str]:
    """Pure code is told, it never asks: nothing in it is awaited."""
    if package_of(path, source) not in ALLOWED:
        return []
    return [
        f"{path}:{node.lineno}: {type(node).__name__} in a pure package"
        for node in ast.walk(syntax(path))
        if isinstance(node, _AWAITING) or (isinstance(node, ast.comprehension) and node.is_async)
    ]


def rim_calls(path: Path, source: Path) -> list[str]:
    """Pure code has no clock, no console and no file."""
    if package_of(path, source) not in ALLOWED:
        return []
    return [
        f"{path}:{node.lineno}: calls {dotted(node.func)}"
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Call) and dotted(node.func) in RIM_CALLS
    ]


def root_imports(path: Path, source: Path) -> list[str]:
    """The root package is for users; inside, a module is imported from where it stands."""
    if path == source / "__init__.py":
        return []
    return [f"{path}:{line}: imports the root package" for line, name in _imported(path) if name == "treadle"]


def _imported(path: Path) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            found.extend((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.append((node.lineno, node.module or "treadle"))
    return found
