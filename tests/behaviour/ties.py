"""Which tests say that they hold which requirements.

In: test files, read but not imported. Out: ids and where they are named, and what ties them badly.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from tests.behaviour.requirement import Requirement

MARK = "requirement"


def named_ids(files: list[Path]) -> dict[str, list[str]]:
    """Say for each id which places name it. A mark whose ids cannot be read stands under the empty id."""
    named: dict[str, list[str]] = {}
    for path in files:
        source = path.read_text(encoding="utf-8")
        if f"mark.{MARK}" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and _is_mark(node.func):
                for requirement_id in _ids(node):
                    named.setdefault(requirement_id, []).append(f"{path.name}:{node.lineno}")
    return named


def problems(requirements: Mapping[str, Requirement], named: Mapping[str, list[str]]) -> list[str]:
    """Compare both ways: a requirement nobody holds, and a test that holds what nobody asks for."""
    found = [
        f"{key}: named at {places}, but no such requirement" for key, places in named.items() if key not in requirements
    ]
    for key, requirement in requirements.items():
        if not requirement.source.strip() or not requirement.says.strip():
            found.append(f"{key}: without a source or a sentence")
        for word in ("divergence", "deferral"):
            reason = getattr(requirement, word)
            if reason is not None and not reason.strip():
                found.append(f"{key}: {word} without a reason")
        if requirement.deferral is None and key not in named:
            found.append(f"{key}: no test holds it")
        if requirement.deferral is not None and key in named:
            found.append(f"{key}: deferred, yet held at {named[key]}")
    return found


def _is_mark(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == MARK
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "mark"
    )


def _ids(call: ast.Call) -> list[str]:
    plain = [word.value for word in call.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
    is_readable = plain and len(plain) == len(call.args) and not call.keywords
    return plain if is_readable else [""]
