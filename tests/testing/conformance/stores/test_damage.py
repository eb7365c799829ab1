"""Faults that the checks of `damage` find, each in a store that bears one thing badly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import fragile
from tests.testing.conformance.stores.planted import BY_NAME, is_found
from treadle.testing.conformance.stores import damage
from treadle.testing.conformance.stores.check import Check

NAMES = [check.name for check in vars(damage).values() if isinstance(check, Check)]
FOUND = [
    ("an_append_whose_word_got_lost_is_repeated_without_harm", fragile.LosesWhatItDoes),
    ("a_full_store_says_so_and_goes_on_when_there_is_room", fragile.WritesWhatItRefuses),
    ("a_damaged_row_is_told_with_its_place_and_the_rest_is_read", fragile.ComplainsVaguely),
    ("a_damaged_row_is_told_with_its_place_and_the_rest_is_read", fragile.StopsAtDamage),
    ("a_store_that_is_opened_again_has_everything", fragile.ForgetsOnOpening),
    ("compaction_is_not_noticed", fragile.CompactsFactsAway),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_store_that_bears_everything_passes(name: str, tmp_path: Path) -> None:
    """Ours: a check asks for no more than the ports promise."""
    BY_NAME[name].hold(fragile.FragileHarness(tmp_path))


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[fragile.FragileStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], fragile.fragile(fault)(tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {*NAMES} == {name for name, _ in FOUND}
