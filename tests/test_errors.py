"""The tree of exceptions."""

from __future__ import annotations

import inspect
import re

import pytest

from treadle import errors
from treadle.errors import (
    BadRequestError,
    MisuseError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelTimeoutError,
    PeerError,
    PlanError,
    RecordFormatError,
    RunFailedError,
    StateError,
    ToolError,
    TreadleError,
)

ALL = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, TreadleError)]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_has_a_stable_code_and_a_docstring(kind):
    """Style: a code in snake_case, whether it may be tried again, words for people."""
    assert re.fullmatch(r"[a-z_]+", kind.code)
    assert isinstance(kind.retryable, bool)
    assert kind.__doc__


def test_no_two_leaves_share_a_code_but_by_purpose():
    """Style: a code tells what happened. The provider's own failure is one code, however it was told."""
    leaves = [kind for kind in ALL if not kind.__subclasses__()]
    shared = {"upstream_error"}
    codes = [kind.code for kind in leaves if kind.code not in shared]
    assert len(codes) == len(set(codes))


def test_the_first_question_is_whose_fault_it_is():
    """h11's split: ours or theirs is the first level of the tree."""
    assert issubclass(StateError, MisuseError)
    assert issubclass(ModelError, PeerError)
    assert not issubclass(MisuseError, PeerError)


def test_what_may_heal_is_retryable():
    """Retries: busy and timed out may heal, a refusal does not."""
    assert ModelBusyError.retryable
    assert ModelTimeoutError.retryable
    assert not ModelRefusedError.retryable


def test_a_plan_error_tells_all_problems_at_once():
    """Plan: every reason in one error."""
    error = PlanError(("no name", "no model"))
    assert error.problems == ("no name", "no model")
    assert str(error) == "no name; no model"


def test_errors_carry_what_their_catcher_needs():
    """Style: attributes, not text to parse."""
    assert StateError("no", state="new", input=1).state == "new"
    assert ModelError("no", status=429, retry_after_s=2.0).retry_after_s == 2.0
    assert BadRequestError("no", pointer="/a").pointer == "/a"
    assert RecordFormatError("no", version=9).version == 9
    assert RunFailedError("no", result={"text": "par"}).result == {"text": "par"}


def test_what_a_tool_tells_the_model_is_no_error_of_ours():
    """Values: a tool speaks to the model by `ToolError`; no handler of ours should catch it by accident."""
    assert not issubclass(ToolError, TreadleError)


def test_a_bad_answer_tells_what_is_wrong_and_where():
    """Ours: the place in the body and the pause, where they are known; the words name the pause."""
    error = errors.BadAnswerError((errors.AnswerProblem("r.i1", "too long", 2), ("r.i2", "none"), (None, "too many")))
    assert [(one.position, one.interrupt_id) for one in error.problems] == [(2, "r.i1"), (None, "r.i2"), (None, None)]
    assert str(error) == "r.i1: too long; r.i2: none; answers: too many"
