"""A package that is not tested enough is found."""

from __future__ import annotations

import pytest

from scripts.coverage_gate import gaps, shares, shortfalls


def _file(*, lines: int, branches: int, missing: int) -> dict[str, object]:
    summary = {
        "covered_lines": lines - missing,
        "num_statements": lines,
        "covered_branches": branches,
        "num_branches": branches,
    }
    return {"summary": summary, "missing_lines": list(range(1, missing + 1)), "missing_branches": []}


@pytest.mark.parametrize(
    ("name", "missing", "told"),
    [
        ("src/treadle/kernel/machine.py", 0, []),
        ("src/treadle/kernel/machine.py", 1, ["kernel: 99.0 %, 100 % is asked for"]),
        ("src/treadle/errors.py", 1, ["errors: 99.0 %, 100 % is asked for"]),
        ("src/treadle/runtime/loop.py", 10, []),
        ("src/treadle/__init__.py", 11, ["root: 89.0 %, 90 % is asked for"]),
        ("src/treadle/runtime/loop.py", 11, ["runtime: 89.0 %, 90 % is asked for"]),
    ],
)
def test_a_pure_package_is_tested_whole_and_the_rim_to_nine_tenths(name: str, missing: int, told: list[str]) -> None:
    """Ours: every branch of a pure package can be asked for, so every one is."""
    assert shortfalls(shares({name: _file(lines=80, branches=20, missing=missing)})) == told


def test_the_files_of_a_package_count_together() -> None:
    """Ours: the limit is the package's; a small file may hold the one branch that only a broken disk takes."""
    files = {
        "src/treadle/runtime/loop.py": _file(lines=90, branches=0, missing=0),
        "src/treadle/runtime/writer.py": _file(lines=10, branches=0, missing=10),
    }
    assert shortfalls(shares(files)) == []
    assert gaps(files) == []
    assert gaps({"src/treadle/text/tags.py": _file(lines=3, branches=0, missing=2)}) == [
        "  src/treadle/text/tags.py: 1, 2"
    ]
