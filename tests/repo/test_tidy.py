"""The house rules over the tree as it is. That each rule can fail is shown in test_planted.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.repo.rules import comments, matches, names, purity, sizes, tested
from tests.repo.rules.tree import CODE_FOLDERS, ROOT, SRC, project_files, python_files

# Nothing of the product runs here, so there is nothing for coverage to see.
pytestmark = pytest.mark.untraced

CODE = python_files(ROOT, *CODE_FOLDERS)
SOURCES = python_files(ROOT, "src")
TESTS = python_files(ROOT, "tests")
PORTS = [path for path in SOURCES if "ports" in path.parts]

FILE_RULES: list[tuple[Callable[[Path], list[str]], list[Path]]] = [
    (sizes.long_files, CODE),
    (sizes.long_functions, CODE),
    (sizes.long_classes, CODE),
    (sizes.many_parameters, SOURCES),
    (sizes.many_positionals, SOURCES),
    (sizes.deep_nesting, CODE),
    (sizes.wide_ports, PORTS),
    (sizes.wide_root, [path for path in [SRC / "__init__.py"] if path.is_file()]),
    (comments.history, CODE),
    (comments.bare_ignores, CODE),
    (matches.long_cases, [path for name in matches.FLAT_MATCHES if (path := SRC / name).is_file()]),
    (names.empty_names, CODE),
    (names.named_places, project_files(ROOT)),
    (names.loose_locks, sorted((ROOT / "requirements").glob("*.txt"))),
    (tested.sleeps, TESTS),
    (tested.clocks, TESTS),
    (tested.excused, TESTS),
    (tested.undocumented, TESTS),
    (tested.autouse, TESTS),
]
SOURCE_RULES = [purity.foreign_imports, purity.waiting, purity.rim_calls, purity.root_imports]


def _told(findings: Iterable[str]) -> str:
    return "\n".join(finding.replace(f"{ROOT}/", "") for finding in findings)


@pytest.mark.parametrize(("rule", "paths"), FILE_RULES, ids=[rule.__name__ for rule, _ in FILE_RULES])
def test_the_tree_keeps_the_rule(rule: Callable[[Path], list[str]], paths: list[Path]) -> None:
    """Ours: a rule that nobody checks is a wish."""
    assert _told(finding for path in paths for finding in rule(path)) == ""


@pytest.mark.parametrize("rule", SOURCE_RULES, ids=[rule.__name__ for rule in SOURCE_RULES])
def test_the_pure_packages_stay_pure(rule: Callable[[Path, Path], list[str]]) -> None:
    """Ours: what is told everything can be tested with everything."""
    assert _told(finding for path in SOURCES for finding in rule(path, SRC)) == ""


def test_every_long_file_that_is_excepted_is_there_and_long() -> None:
    """Ours: an exception goes when its reason is gone."""
    for name in sizes.LONG_FILES:
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) > sizes.FILE_LINES, name


def test_the_shared_set_up_stays_small() -> None:
    """Ours: what a test leans on stands beside it, so conftest.py has at most 60 lines."""
    assert len((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8").splitlines()) <= 60
