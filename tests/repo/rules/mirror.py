"""Every module has its own test file, found without searching.

In: the folders of the sources and of the tests. Out: findings.
`text/close_state.py` is tested by `tests/text/test_close_state.py`; what holds for all inputs stands beside it.
"""

from __future__ import annotations

import ast
from pathlib import Path

from tests.repo.rules.tree import python_files, syntax

# Modules with code and yet no test file of their own, each with the reason.
WITHOUT: dict[str, str] = {}


def untested_modules(source: Path, tests: Path) -> list[str]:
    """A module whose tests are not where they are looked for has none."""
    findings = []
    for path in python_files(source.parent, source.name):
        relative = path.relative_to(source)
        mirrored = tests / relative.parent / f"test_{relative.name.lstrip('_')}"
        if relative.as_posix() in WITHOUT or not has_behaviour(path) or mirrored.is_file():
            continue
        findings.append(f"{path}: no test file {mirrored}")
    return findings


def stale_exceptions(source: Path, tests: Path) -> list[str]:
    """An exception from the rule goes when what it was made for is gone."""
    return [
        f"{name}: excepted from the mirror, but {'it is tested' if (source / name).is_file() else 'it is not there'}"
        for name in WITHOUT
        if not (source / name).is_file() or (tests / Path(name).parent / f"test_{Path(name).name}").is_file()
    ]


def has_behaviour(path: Path) -> bool:
    """Tell whether a file does anything: names, types, re-exports and the methods of a protocol do not."""
    if path.name == "__init__.py":
        return False
    return any(_does_something(node) for node in syntax(path).body)


def _does_something(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return not _is_empty(node.body)
    if isinstance(node, ast.ClassDef):
        return any(_does_something(part) for part in node.body)
    return isinstance(node, ast.For | ast.While | ast.With | ast.Match)


def _is_empty(body: list[ast.stmt]) -> bool:
    return all(
        isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
        for part in body
    )
