"""`MODULE:NAME` to the agent it names."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from treadle.app.agent import Agent
from treadle.cli.exits import CommandMisuseError
from treadle.cli.loading import load_agent
from treadle.values.model import ModelItem

pytestmark = pytest.mark.requirement("CLI-12")

SOURCE = """
from treadle import Agent
import sys
MODEL = sys.model_of_the_test

class Shelf:
    pass

agent = Agent(name="found", model=MODEL)
Shelf.agent = agent
number = 3

def made():
    return agent

async def later():
    return agent

def needs(word):
    return agent

def nothing():
    return None

def leaves():
    raise SystemExit(3)

class Sub(Agent):
    def __init__(self):
        super().__init__(name="sub", model=MODEL)
"""


class Silent:
    """A model that is never asked."""

    name = "silent"

    async def ask(self, _: object) -> AsyncGenerator[list[ModelItem], None]:
        """Say nothing."""
        yield []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory, with a module in it that nobody has imported yet."""
    (tmp_path / "shelf_of_agents.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "model_of_the_test", Silent(), raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "found"), [("agent", "found"), ("Shelf.agent", "found"), ("made", "found"), ("Sub", "sub")]
)
def test_an_agent_or_what_makes_one_is_found_in_the_current_directory(name: str, found: str) -> None:
    """docs/cli.md: an `Agent`, or a function without arguments that returns one."""
    agent = load_agent(f"shelf_of_agents:{name}")
    assert isinstance(agent, Agent)
    assert agent.name == found


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("shelf_of_agents", "must be MODULE:NAME"),
        (":agent", "must be MODULE:NAME"),
        ("shelf_of_agents:", "must be MODULE:NAME"),
        ("shelf_of_agents.py:agent", "not of a file: shelf_of_agents:agent"),
        ("./shelf/of_agents.py:agent", "not of a file: shelf.of_agents:agent"),
        ("no_such_shelf:agent", "no module named 'no_such_shelf'"),
        ("shelf_of_agents.sub:agent", "no module named 'shelf_of_agents.sub'"),
        ("shelf_of_agents:nobody", "has no 'nobody'; agents in it: agent"),
        ("shelf_of_agents:Shelf.nobody", "has no 'Shelf.nobody'"),
        ("shelf_of_agents:number", "not an int"),
        ("shelf_of_agents:needs", "not a function"),
        ("shelf_of_agents:nothing", "must return an Agent, not a NoneType"),
        ("shelf_of_agents:later", "must return an Agent, not a coroutine"),
        ("shelf_of_agents:leaves", "failed: SystemExit: 3"),
    ],
)
def test_what_names_no_agent_is_told_in_one_line(spec: str, said: str) -> None:
    """docs/cli.md: no such module, no such name, not an agent."""
    with pytest.raises(CommandMisuseError) as told:
        load_agent(spec)
    assert said in str(told.value)
    assert len(str(told.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "import no_such_library",
            "importing 'broken_shelf' failed: ModuleNotFoundError: No module named 'no_such_library'",
        ),
        ("1 / 0", "importing 'broken_shelf' failed: ZeroDivisionError: division by zero"),
        ("raise SystemExit('bye')", "importing 'broken_shelf' failed: SystemExit: bye"),
        ("from treadle import Agent\nAgent(name='', model='nonsense')", "importing 'broken_shelf' failed: "),
    ],
)
def test_what_a_module_itself_raises_is_told_with_its_cause(folder: Path, source: str, said: str) -> None:
    """docs/cli.md: a library that is missing in the user's module is not taken for a missing module."""
    (folder / "broken_shelf.py").write_text(source, encoding="utf-8")
    with pytest.raises(CommandMisuseError) as told:
        load_agent("broken_shelf:agent")
    assert str(told.value).startswith(said)
    assert told.value.__cause__ is not None
