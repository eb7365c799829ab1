"""The page on testing and what it is about say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import treadle.testing
from treadle.adapters.models.scripted import notation
from treadle.testing import plugin
from treadle.testing.counting_tools import CountingTools
from treadle.testing.faults.ledger import End
from treadle.testing.faults.scenario import Need
from treadle.values.model import StopReason

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
LINES = [line.partition(":")[0].strip() for line in re.findall(r"^\| `((?:[^`\\]|\\.)*)`", PAGE, re.MULTILINE)]


def test_every_word_of_the_notation_has_its_line() -> None:
    """The table is the notation, whole (ours)."""
    words = notation._WORDS  # noqa: SLF001 (the table is what is compared)
    assert [word for word in words if word not in LINES] == []
    assert {notation.NEXT_TURN, notation.NEXT_ATTEMPT} <= set(LINES)


def test_the_closed_words_are_there() -> None:
    """Labels, needs, ends of an answer and tools (ours)."""
    tools = [tool.name for tool in CountingTools().tools]
    ends = [end for end in get_args(End) if end != "running"]
    words = [*StopReason, *get_args(Need), *ends, *tools]
    assert [word for word in words if f"`{word}`" not in PAGE] == []


def test_every_public_name_is_on_the_page() -> None:
    """What is promised is told (ours)."""
    assert [name for name in treadle.testing.__all__ if not re.search(rf"\b{name}\b", PAGE)] == []


def test_every_fixture_is_on_the_page() -> None:
    """And no other (ours)."""
    fixtures = [name for name, thing in vars(plugin).items() if type(thing).__name__ == "FixtureFunctionDefinition"]
    section = PAGE.partition("| fixture | gives |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == sorted(fixtures)


@pytest.mark.slow
def test_the_tests_on_the_page_pass(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader copies what is written (ours)."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2] / "src"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (text,) = re.findall(r"^<!-- file: test_agent.py -->\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    pytester.makepyfile(test_agent=text)
    pytester.runpytest_subprocess("-p", "treadle.testing.plugin", "-W", "error").assert_outcomes(passed=4)
