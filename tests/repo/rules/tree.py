"""Which files the rules are about, and how they are read.

In: the root of a work tree. Out: paths and syntax trees.
A rule is a function from paths to findings, one sentence each; it knows nothing of pytest, so that a broken tree can be
planted in a folder of its own.
"""

from __future__ import annotations

import ast
import subprocess
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SRC = ROOT / "src" / "treadle"
# The bench is one program a file, made to be read beside its numbers; its code is held to fewer rules.
CODE_FOLDERS = ("src", "tests", "scripts", "examples")


def python_files(root: Path, *folders: str) -> list[Path]:
    """List the Python files below the folders of a tree that exist, in order."""
    found = [path for folder in folders for path in (root / folder).rglob("*.py")]
    return sorted(path for path in found if "__pycache__" not in path.parts and "golden" not in path.parts)


def project_files(root: Path) -> list[Path]:
    """List every file that is, or is about to be, part of the project; without git, every file that is not hidden."""
    done = subprocess.run(
        ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        parts = (path for path in root.rglob("*") if path.is_file())
        return sorted(path for path in parts if not any(part.startswith(".") for part in path.relative_to(root).parts))
    return sorted(path for line in done.stdout.splitlines() if (path := root / line).is_file())


def syntax(path: Path) -> ast.Module:
    """Parse a file, once for all rules."""
    return _parsed(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=2048)
def _parsed(path: Path, _mtime_ns: int) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """List every function of a file, methods and inner ones too."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def dotted(node: ast.expr) -> str:
    """Say `a.b.c` for such an expression, and nothing for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (left := dotted(node.value)):
        return f"{left}.{node.attr}"
    return ""
