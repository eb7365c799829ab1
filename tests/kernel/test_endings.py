"""How a run ends when it does not end by itself."""

from __future__ import annotations

import pytest

from treadle.kernel.endings import broken, cancelled, failed_attempt, over_limit
from treadle.kernel.inputs import ModelBroke, PartBroke
from treadle.values.facts import Ending
from treadle.values.limits import Limit


@pytest.mark.requirement("MACHINE-limits")
@pytest.mark.parametrize("limit", list(Limit))
def test_each_limit_is_its_own_code_and_termination(limit: Limit) -> None:
    """Design: each its own termination reason."""
    assert over_limit(limit) == Ending(code=limit.value, error_class="limit", termination=limit.value)


def test_a_cancel_has_no_code() -> None:
    """Ours: nobody failed; who stopped the run may have said why."""
    assert cancelled("shutdown") == Ending(code=None, termination="cancelled", reason="shutdown")
    assert cancelled(None).reason is None


def test_a_fault_of_ours_keeps_its_reference_and_the_words_for_the_operator() -> None:
    """Design: `internal`, with a reference; foreign text is the detail."""
    assert broken(PartBroke(reference="ref1", detail="boom")) == Ending(
        code="internal", termination="internal", reference="ref1", detail="boom"
    )


def test_a_failed_attempt_keeps_what_the_model_told() -> None:
    """Ours: code and class are the adapter's, and whether asking again might help."""
    told = ModelBroke(
        code="model_busy", error_class="infrastructure", retryable=True, reference="ref1", detail="slow down"
    )
    assert failed_attempt("model_busy", "infrastructure", told) == Ending(
        code="model_busy",
        error_class="infrastructure",
        retryable=True,
        reference="ref1",
        detail="slow down",
        termination="model_busy",
    )


@pytest.mark.parametrize("retryable", [True, False])
def test_a_cut_answer_has_no_words_of_a_provider(*, retryable: bool) -> None:
    """Ours: the provider said nothing but its label."""
    assert failed_attempt("length", "model", retryable=retryable) == Ending(
        code="length", error_class="model", retryable=retryable, termination="length"
    )
