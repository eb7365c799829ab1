"""The ids port: what the real ids and their fake keep alike."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from treadle.adapters.system import RandomIds
from treadle.ports.ids import Ids
from treadle.testing.counted_ids import CountedIds

IDS = [pytest.param(RandomIds, id="random"), pytest.param(CountedIds, id="counted")]


@pytest.mark.parametrize("make", IDS)
def test_every_run_id_is_fresh_and_of_plain_letters(make: Callable[[], Ids]) -> None:
    """Letters, digits and `_` alone, so that ids made from it can be told apart (the port)."""
    ids = make()
    made = [ids.run_id() for _ in range(100)]
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"[A-Za-z0-9_]+", one) for one in made)
