"""The sentence of a code."""

from __future__ import annotations

import pytest

from treadle.codec.failure_words import failure_words
from treadle.errors import ModelError, TreadleError
from treadle.values.facts import WORKER_LOST
from treadle.values.limits import Limit


def _below(kind: type[TreadleError]) -> set[type[TreadleError]]:
    return {kind}.union(*(_below(one) for one in kind.__subclasses__()))


@pytest.mark.parametrize("code", sorted({*Limit, WORKER_LOST, "internal", *(one.code for one in _below(ModelError))}))
def test_a_code_that_a_run_can_end_with_has_words_of_its_own(code: str) -> None:
    """Ours: a stable code and a fixed sentence everywhere."""
    assert failure_words(code) != failure_words("no such code")
    assert failure_words(code).isascii()


def test_a_code_that_nobody_knows_has_words_that_say_little() -> None:
    """Ours: an agent of another release may end with another code."""
    assert failure_words("no such code") == "the run failed"
