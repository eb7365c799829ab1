"""Steps from older forms."""

from __future__ import annotations

import pytest

from treadle.codec.upcast import FORM_VERSION, STEPS, upcast
from treadle.errors import RecordFormatError


@pytest.mark.requirement("REC-version")
def test_there_is_a_step_for_every_version_that_ever_was() -> None:
    """Ours: a version without its step would be rows that nobody can read."""
    assert sorted(STEPS) == list(range(1, FORM_VERSION))


@pytest.mark.requirement("REC-version")
def test_steps_are_taken_one_after_the_other() -> None:
    """Ours: a step knows its own two versions alone."""
    steps = {FORM_VERSION - number: lambda kind, terms, number=number: (kind, [*terms, number]) for number in (1, 2, 3)}
    assert upcast("x", [], version=FORM_VERSION - 3, steps=steps) == ("x", [3, 2, 1])
    assert upcast("x", [], version=FORM_VERSION - 1, steps=steps) == ("x", [1])
    assert upcast("x", [], version=FORM_VERSION, steps=steps) == ("x", [])


@pytest.mark.parametrize("version", [FORM_VERSION + 1, FORM_VERSION - 1, None, "1", 1.0, True])
@pytest.mark.requirement("REC-version")
def test_no_other_version_is_read(version: object) -> None:
    """Ours: neither one of the time to come nor what is no version at all."""
    with pytest.raises(RecordFormatError):
        upcast("x", [], version=version)


@pytest.mark.parametrize("error", [ValueError, TypeError, KeyError, IndexError, AttributeError])
@pytest.mark.requirement("REC-version")
def test_terms_that_trip_a_step_are_damage(error: type[Exception]) -> None:
    """Ours: a step is written for what its version wrote and checks nothing."""

    def step(_kind: str, _terms: object) -> tuple[str, object]:
        raise error

    with pytest.raises(RecordFormatError, match="the step from form version"):
        upcast("x", [], version=FORM_VERSION - 1, steps={FORM_VERSION - 1: step})
