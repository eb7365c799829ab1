"""A client's report, held against what should have come."""

from __future__ import annotations

import pytest

from tests.cli.conformance.kits import cell, report
from treadle.cli.conformance.cells import Absent, Outcome
from treadle.cli.conformance.judging import absent, failed, judged, texts
from treadle.testing.faults.steps import LEAK_MARK

pytestmark = pytest.mark.requirement("CONF-judged")
ECHO = Outcome(verdict="done", says="You said: {prompt}")


def test_a_report_that_is_as_expected_has_no_problem() -> None:
    """docs/cli.md: each cell has its verdict, and nobody complains."""
    wanted = cell(ECHO)
    found = judged(wanted, report(text=f"You said: {wanted.prompt}"))
    assert (found.verdict, found.problems) == ("done", ())
    assert absent(cell(Absent(reason="not here"))).problems == ()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (report("error", error={"code": 5}), 'verdict error, expected done: {"code": 5}'),
        (report("truncated"), "verdict truncated, expected done"),
        (report(violations=[{"by": "kit", "rule": "gap", "detail": "1 to 3"}]), "kit: gap: 1 to 3"),
        (report(custom=[LEAK_MARK]), "words that are for operators alone"),
        (report(text="You said: else"), "expected the text"),
        ({}, "verdict None, expected done"),
    ],
)
def test_whatever_is_not_as_expected_is_told(told: dict[str, object], said: str) -> None:
    """Ours: a judge who finds nothing in anything judges nothing."""
    found = judged(cell(ECHO), told)
    assert any(said in problem for problem in found.problems), found.problems


def test_a_client_that_printed_nothing_is_a_problem_of_its_own() -> None:
    """Ours: no report is no verdict."""
    assert (failed(cell(), "it crashed").verdict, failed(cell(), "it crashed").problems) == ("none", ("it crashed",))


def test_a_client_may_say_the_text_in_its_own_way() -> None:
    """Ours: all deltas joined, a message that is put together, or the messages of a run."""
    messages = [
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": ["part"]},
        {"role": "assistant", "content": "b"},
    ]
    assert list(texts(report(text="t", final_text="f", new_messages=messages))) == ["t", "f", "ab"]
    artifacts = [{"text": "whole"}, {"artifact_id": "output"}]
    assert list(texts(report(aggregated=artifacts))) == ["", "whole", ""]
    assert list(texts(report())) == [""]
