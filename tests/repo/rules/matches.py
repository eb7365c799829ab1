"""A flat match is a table, and a row of a table is short.

In: the two files where ruff's limits on branches are lifted. Out: findings.
"""

from __future__ import annotations

import ast
from pathlib import Path

from tests.repo.rules.tree import syntax

FLAT_MATCHES = ("kernel/machine.py", "projections/typed/project.py")
CASE_LINES = 4


def long_cases(path: Path) -> list[str]:
    """What needs more than four lines is a function with a name."""
    return [
        f"{path}:{arm.body[0].lineno}: a case of {size} lines, {CASE_LINES} are allowed"
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Match)
        for arm in node.cases
        if (size := (arm.body[-1].end_lineno or 0) - arm.body[0].lineno + 1) > CASE_LINES
    ]
