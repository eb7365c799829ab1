"""What a failure is called, for people."""

from __future__ import annotations

import pytest

from treadle import errors
from treadle.codec.failure_words import CANCELLED, DECISION_DUE, RESTARTED, failure_words
from treadle.errors import ModelError
from treadle.values.facts import WORKER_LOST
from treadle.values.limits import Limit

UNKNOWN = failure_words("no such code")
MODEL_CODES = [kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ModelError)]


@pytest.mark.parametrize("code", [*Limit, *MODEL_CODES, WORKER_LOST, RESTARTED, CANCELLED, DECISION_DUE, "internal"])
def test_every_code_that_a_run_can_end_with_has_a_sentence(code: str) -> None:
    """Design §9: a stable code, a safe sentence."""
    said = failure_words(code)
    assert said != UNKNOWN
    assert said == failure_words(code).strip().rstrip(".")


def test_a_code_that_nobody_knows_says_that_the_run_failed() -> None:
    """Ours: a code of a later version is told as it is, and no wire breaks of it."""
    assert UNKNOWN == "the run failed"
