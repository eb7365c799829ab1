"""How large things may grow.

In: Python files. Out: findings. The hard limits of the house; what is softer than these is for the reviewer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.repo.rules.tree import functions, syntax

FILE_LINES = 500
FUNCTION_LINES = 70
CLASS_LINES = 350
PARAMETERS = 8
POSITIONALS = 3
NESTING = 4
PORT_METHODS = 8
ROOT_NAMES = 40

# Tables and generated files: long because what they list is long.
LONG_FILES: dict[str, str] = {}
# Makers of deltas run once a piece of speech, where naming each argument is a measurable part of the price.
BY_POSITION = ("values/delta_makers.py",)

_BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)


def long_files(path: Path) -> list[str]:
    """A file of more than 500 lines holds more than one idea."""
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines <= FILE_LINES or any(path.as_posix().endswith(name) for name in LONG_FILES):
        return []
    return [f"{path}: {lines} lines, {FILE_LINES} are allowed"]


def long_functions(path: Path) -> list[str]:
    """A function of more than 70 lines does more than one thing."""
    return [
        f"{path}: {node.name} has {size} lines, {FUNCTION_LINES} are allowed"
        for node in functions(syntax(path))
        if (size := _lines(node)) > FUNCTION_LINES
    ]


def long_classes(path: Path) -> list[str]:
    """A class of more than 350 lines has more than one reason to change."""
    return [
        f"{path}: {node.name} has {size} lines, {CLASS_LINES} are allowed"
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.ClassDef) and (size := _lines(node)) > CLASS_LINES
    ]


def many_parameters(path: Path) -> list[str]:
    """Nobody remembers the ninth parameter. Options of a command are typed by name, and its help lists them."""
    return [
        f"{path}: {node.name} has {count} parameters, {PARAMETERS} are allowed"
        for node in functions(syntax(path))
        if (count := len(_positionals(node)) + len(node.args.kwonlyargs)) > PARAMETERS and not _is_command(node)
    ]


def _is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorators = [one.func for one in node.decorator_list if isinstance(one, ast.Call)]
    return any(isinstance(one, ast.Attribute) and one.attr == "command" for one in decorators)


def many_positionals(path: Path) -> list[str]:
    """Past three, a parameter is named where it is given. What only its own file calls is for the reviewer."""
    if path.as_posix().endswith(BY_POSITION):
        return []
    return [
        f"{path}: {node.name} takes {count} parameters by position, {POSITIONALS} are allowed"
        for node in functions(syntax(path))
        if (not node.name.startswith("_") or node.name == "__init__")
        and (count := len(_positionals(node))) > POSITIONALS
    ]


def deep_nesting(path: Path) -> list[str]:
    """What stands five blocks deep is read by nobody."""
    return [
        f"{path}: {node.name} nests {depth} blocks, {NESTING} are allowed"
        for node in functions(syntax(path))
        if (depth := _depth(node.body)) > NESTING
    ]


def wide_ports(path: Path) -> list[str]:
    """A port of more than eight methods is several ports."""
    return [
        f"{path}: port {node.name} has {count} methods, {PORT_METHODS} are allowed"
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.ClassDef)
        and (count := sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body))
        > PORT_METHODS
    ]


def wide_root(path: Path) -> list[str]:
    """The root package offers what most users need, and no more."""
    for node in syntax(path).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(name, ast.Name) and name.id == "__all__" for name in node.targets
        ):
            names = ast.literal_eval(node.value) if isinstance(node.value, ast.List | ast.Tuple) else ()
            if len(names) > ROOT_NAMES:
                return [f"{path}: {len(names)} public names, {ROOT_NAMES} are allowed"]
    return []


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _positionals(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    given = [*node.args.posonlyargs, *node.args.args]
    return given[1:] if given and given[0].arg in {"self", "cls"} else given


def _depth(body: list[ast.stmt]) -> int:
    return max((_depth_of(statement) for statement in body), default=0)


def _depth_of(statement: ast.stmt) -> int:
    if not isinstance(statement, _BLOCKS):
        return 0
    if isinstance(statement, ast.If) and len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        # `elif` is a further arm of the same block.
        return max(1 + _depth(statement.body), _depth_of(statement.orelse[0]))
    return 1 + max((_depth(body) for body in _bodies(statement)), default=0)


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, [])
    for arm in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
        yield arm.body
