"""Required behaviours by id, merged from `rows/`, one file a topic.

In: every module of `rows/`, each with a table `ROWS` from id to requirement. Out: `REQUIREMENTS`.
A test says which rows it holds with `@pytest.mark.requirement("T06", "EV-1")`; test_coverage.py compares both ways.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.behaviour.requirement import Requirement

ROWS_FOLDER = Path(__file__).parent / "rows"


def merged(tables: Iterable[Mapping[str, Requirement]]) -> dict[str, Requirement]:
    """Put tables together. An id stands in one of them only, whoever wrote it."""
    everything: dict[str, Requirement] = {}
    for table in tables:
        if twice := everything.keys() & table.keys():
            raise ValueError(f"requirements that stand twice: {sorted(twice)}")
        everything.update(table)
    return everything


def _tables() -> Iterable[Mapping[str, Requirement]]:
    for path in sorted(ROWS_FOLDER.glob("*.py")):
        yield importlib.import_module(f"tests.behaviour.rows.{path.stem}").ROWS


REQUIREMENTS: dict[str, Requirement] = merged(_tables())
