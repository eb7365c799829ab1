"""The options of a command to the agent that is to run."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from treadle.cli.choosing import Choice, chosen_agent
from treadle.cli.exits import CommandMisuseError
from treadle.errors import PlanError
from treadle.values.limits import DEFAULT_LIMITS

SOURCE = """
from treadle import Agent, Limits

agent = Agent(name="mine", model="openai-chat:first", instructions="Be kind.", limits=Limits(rounds=2))
"""


def choice(
    *, agent: str | None = None, model: str | None = None, base_url: str | None = None, timeout_s: float | None = None
) -> Choice:
    """The options that were given."""
    return Choice(agent=agent, model=model, base_url=base_url, timeout_s=timeout_s)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an agent of the user's own."""
    (tmp_path / "agents_of_mine.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "agents_of_mine", raising=False)
    return "agents_of_mine:agent"


def test_without_an_agent_a_plain_assistant_speaks_through_the_model_on_this_machine() -> None:
    """docs/cli.md: the defaults."""
    agent = chosen_agent(choice())
    assert (agent.name, agent.model.name, agent.plan.limits) == ("assistant", "local", DEFAULT_LIMITS)


def test_an_agent_keeps_its_own_model_unless_another_is_named(mine: str) -> None:
    """docs/cli.md: `--model` overrides."""
    assert chosen_agent(choice(agent=mine)).model.name == "first"
    other = chosen_agent(choice(agent=mine, model="openai-chat:second", base_url="http://localhost:1"))
    assert (other.model.name, other.plan.instructions) == ("second", "Be kind.")


def test_a_timeout_is_one_more_limit_of_the_agent(mine: str) -> None:
    """docs/cli.md: the other limits stay."""
    limits = chosen_agent(choice(agent=mine, timeout_s=1.5)).plan.limits
    assert (limits.wall_clock_s, limits.rounds) == (1.5, 2)


@pytest.mark.parametrize("timeout_s", [0.0, -1.0, math.inf, math.nan])
def test_a_timeout_is_a_time(timeout_s: float) -> None:
    """docs/cli.md: seconds above 0."""
    with pytest.raises(CommandMisuseError, match="--timeout"):
        choice(timeout_s=timeout_s)


@pytest.mark.parametrize("model", [None, "local", "scripted:x"])
def test_a_base_url_needs_a_model_that_is_served(model: str | None) -> None:
    """Ours: an option that would do nothing is refused."""
    with pytest.raises(CommandMisuseError, match="--base-url"):
        chosen_agent(choice(model=model, base_url="http://localhost:1"))


@pytest.mark.parametrize(
    "base_url",
    ["", " ", "localhost:8000", "localhost", "/v1", "ftp://host/v1", "http://", "https:///v1", "http://:80/v1",
     "http://host:port", "http://host:99999", "http://[::1", "http://ho st/v1", "http://host/\nv1", "HTTP"],
)  # fmt: skip
def test_a_base_url_is_an_address_on_the_web(base_url: str) -> None:
    """docs/cli.md: what no request can be sent to is a misuse, not a model that fails."""
    with pytest.raises(CommandMisuseError, match="--base-url"):
        choice(model="openai-chat:x", base_url=base_url)


@pytest.mark.parametrize(
    "base_url",
    ["http://localhost", "https://a.example/v1/", "http://[::1]:8000/v1", "http://u:p@10.0.0.1:1", "HTTP://A"],
)
def test_every_address_on_the_web_will_do(base_url: str) -> None:
    """docs/cli.md: any OpenAI-compatible server."""
    assert choice(model="openai-chat:x", base_url=base_url).base_url == base_url


def test_an_empty_model_is_not_taken_for_none() -> None:
    """docs/cli.md: a script whose variable is empty is told so."""
    with pytest.raises(CommandMisuseError, match="--model"):
        choice(model="")


def test_a_model_nobody_knows_is_a_problem_of_the_plan() -> None:
    """docs/cli.md: misuse."""
    with pytest.raises(PlanError):
        chosen_agent(choice(model="nonsense:x"))
