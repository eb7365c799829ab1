"""The SQLite store under the suite for stores, with the ends of live logs in memory and without."""

from __future__ import annotations

from typing import ClassVar

import pytest

from tests.adapters.stores.sqlite.harness import SqliteHarness, TaillessHarness
from treadle.testing.conformance.stores.suite import StoreConformance


class TestSqliteStore(StoreConformance):
    """As it is used."""

    harness = SqliteHarness
    marks: ClassVar = {"heavy": [pytest.mark.slow]}
    random_lives = 30


class TestSqliteStoreWithoutTails(StoreConformance):
    """Every reader reads rows."""

    harness = TaillessHarness
    marks: ClassVar = {"heavy": [pytest.mark.slow]}
    random_lives = 30
