"""The pytest plugin, tried by tests of a user's own in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SYNC = """
    import pytest
    from treadle import Agent, RunFailedError, tool
    from treadle.adapters.models.openai_chat import OpenAIChat


    @tool
    def add(a: int, b: int) -> int:
        "Add."
        return a + b


    def test_of_a_script(scripted_agent):
        agent = scripted_agent('call: add {"a": 1, "b": 2}\\n---\\ntext: It is 3.', tools=[add], instructions="Add.")
        assert (agent.run_sync("1+2?").text, agent.name) == ("It is 3.", "scripted")


    def test_of_a_model(treadle_script):
        assert Agent(name="a", model=treadle_script("text: hello")).run_sync("hi").text == "hello"


    def test_of_a_fault(fault_server):
        agent = Agent(name="a", model=OpenAIChat("eof_after_text", base_url=fault_server.base_url, api_key="k"))
        with pytest.raises(RunFailedError) as failed:
            agent.run_sync("hi")
        assert failed.value.result.text == "half"
        assert fault_server.stats.requests() == 1
"""
ASYNC = """
    import pytest
    from treadle import Agent
    from treadle.adapters.models.openai_chat import OpenAIChat
    from treadle.testing import SCENARIOS, check_stream
    from treadle.testing.faults import Done, Finish, Scenario, done, say, stream

    MINE = Scenario(
        name="mine", says="hello", turns=(stream(say("hello"), Finish(reason="stop"), Done()),), expected=done("hello")
    )


    @pytest.fixture
    def fault_scenarios():
        return {"mine": MINE}


    @pytest.mark.asyncio
    async def test_of_a_stream(fault_server):
        agent = Agent(name="a", model=OpenAIChat("mine", base_url=fault_server.base_url, api_key="k"))
        async with agent.stream("hi") as run:
            events = [event async for event in run]
        await agent.aclose()
        assert check_stream(events) == []
        assert events[-1].text == MINE.expected.text
"""
_LOOP_SCOPE = "asyncio_default_fixture_loop_scope=function"
IMPORTS = """
import sys
import pytest
before = set(sys.modules)
import treadle.testing.plugin
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))
print(*sorted(name for name in set(sys.modules) - before if name.startswith("treadle")))
"""


@pytest.fixture
def apart(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of a user's own, in which only the plugins that are named are loaded."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester


@pytest.mark.slow
def test_a_users_tests_get_agents_models_and_a_fault_server(apart: pytest.Pytester) -> None:
    """In plain tests, with no marker and no other plugin (ours)."""
    apart.makepyfile(SYNC)
    apart.runpytest_inprocess("-p", "treadle.testing.plugin").assert_outcomes(passed=3)


@pytest.mark.slow
def test_a_users_tests_may_be_coroutines_and_bring_scenarios(apart: pytest.Pytester) -> None:
    """The server is in no test's event loop, so any plugin for coroutines will do (ours)."""
    apart.makepyfile(ASYNC)
    given = ("-p", "treadle.testing.plugin", "-p", "pytest_asyncio.plugin", "-W", "error", "-o", _LOOP_SCOPE)
    apart.runpytest_subprocess(*given).assert_outcomes(passed=1)


@pytest.mark.slow
def test_the_fixtures_are_listed_with_what_they_are_for(apart: pytest.Pytester) -> None:
    """`pytest --fixtures` is where a user looks (ours)."""
    listed = apart.runpytest_subprocess("-p", "treadle.testing.plugin", "--fixtures")
    for name in ("fault_server", "fault_scenarios", "treadle_script", "scripted_agent"):
        listed.stdout.fnmatch_lines([f"{name} -- *"])
    assert "no docstring available" not in listed.stdout.str()


def test_pytest_pays_nothing_for_a_plugin_that_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is loaded in every environment that has this package: three small modules, and no other package (ours)."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True, timeout=30)
    packages, modules = done.stdout.splitlines()
    assert packages == "treadle"
    assert modules.split() == ["treadle", "treadle._version", "treadle.testing", "treadle.testing.plugin"]


def test_an_installed_package_brings_the_plugin() -> None:
    """Nobody has to name it (ours)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"treadle": "treadle.testing.plugin"}
