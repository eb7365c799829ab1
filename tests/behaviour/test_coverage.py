"""Requirements and tests, compared both ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.behaviour.requirement import Requirement
from tests.behaviour.requirements import REQUIREMENTS, merged
from tests.behaviour.ties import named_ids, problems

TESTS = Path(__file__).resolve().parents[1]

ROW = Requirement(source="ours", says="It holds.")


def test_every_requirement_is_held_and_every_test_holds_a_requirement() -> None:
    """Ours: a demand without a test is a wish, a test without a demand is a guess."""
    assert "\n".join(problems(REQUIREMENTS, named_ids(sorted(TESTS.rglob("test_*.py"))))) == ""


@pytest.mark.parametrize(
    ("requirements", "named", "words"),
    [
        ({"A": ROW}, {}, "A: no test holds it"),
        ({}, {"A": ["test_a.py:1"]}, "no such requirement"),
        ({"A": Requirement(source="ours", says="", deferral="why")}, {}, "without a source or a sentence"),
        ({"A": Requirement(source="ours", says="It holds.", deferral=" ")}, {}, "deferral without a reason"),
        (
            {"A": Requirement(source="ours", says="It holds.", divergence="")},
            {"A": ["x"]},
            "divergence without a reason",
        ),
        ({"A": Requirement(source="ours", says="It holds.", deferral="why")}, {"A": ["x"]}, "deferred, yet held"),
    ],
)
def test_what_does_not_meet_is_told(
    requirements: dict[str, Requirement], named: dict[str, list[str]], words: str
) -> None:
    """Ours: the rule can fail, each way."""
    (told,) = problems(requirements, named)
    assert words in told


def test_what_meets_is_not_told() -> None:
    """Ours: a held row and a deferred one with its reason are both fine."""
    rows = {"A": ROW, "B": Requirement(source="ours", says="It holds.", deferral="the wire is not there yet")}
    assert problems(rows, {"A": ["test_a.py:1"]}) == []


def test_ids_are_read_from_every_place_a_mark_can_stand(tmp_path: Path) -> None:
    """Ours: functions, classes, modules and single parameters carry marks alike."""
    path = tmp_path / "test_planted.py"
    mark = "pytest.mark." + "requirement"
    path.write_text(
        f"pytestmark = {mark}('M')\n"
        f"@{mark}('A', 'B')\ndef test_a(): ...\n"
        f"class TestC:\n    @{mark}('C')\n    def test_c(self): ...\n"
        f"rows = [pytest.param(1, marks={mark}('P'))]\n"
        f"later = {mark}(name)\n"
    )
    assert named_ids([path]) == {
        "M": ["test_planted.py:1"],
        "A": ["test_planted.py:2"],
        "B": ["test_planted.py:2"],
        "C": ["test_planted.py:5"],
        "P": ["test_planted.py:7"],
        "": ["test_planted.py:8"],
    }


def test_an_id_stands_once() -> None:
    """Ours: two sentences under one id would each be held by the other's test."""
    with pytest.raises(ValueError, match="twice"):
        merged([{"A": ROW}, {"A": ROW}])
