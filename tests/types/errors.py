"""What a checker knows of the errors. Read by mypy, never run."""

from __future__ import annotations

from typing import assert_type

from treadle.errors import ModelBusyError, ModelError, PlanError, TreadleError


def told(error: ModelError, problems: PlanError) -> None:
    """Attributes of the errors that callers branch on."""
    assert_type(error.retryable, bool)
    assert_type(error.code, str)
    assert_type(error.retry_after_s, float | None)
    assert_type(problems.problems, tuple[str, ...])


def is_one_tree(error: ModelBusyError) -> TreadleError:
    """Whoever catches the root catches all."""
    return error
