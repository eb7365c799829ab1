"""How a run ends when it does not end by itself, as values."""

from __future__ import annotations

from treadle.kernel.inputs import ModelBroke, PartBroke
from treadle.values.facts import Ending
from treadle.values.limits import Limit


def over_limit(limit: Limit) -> Ending:
    """The run went further than it may."""
    return Ending(code=limit.value, error_class="limit", termination=limit.value)


def cancelled(reason: str | None) -> Ending:
    """Somebody stopped the run."""
    return Ending(code=None, termination="cancelled", reason=reason)


def broken(given: PartBroke) -> Ending:
    """A part of this side failed."""
    return Ending(code=given.code, termination=given.code, reference=given.reference, detail=given.detail)


def failed_attempt(
    code: str, error_class: str, given: ModelBroke | None = None, *, retryable: bool | None = None
) -> Ending:
    """The model failed for good, or cut its answer."""
    return Ending(
        code=code,
        error_class=error_class,
        retryable=given.retryable if given is not None else bool(retryable),
        reference=given.reference if given is not None else None,
        detail=given.detail if given is not None else None,
        termination=code,
    )
