"""The pytest plugin: fixtures for tests of agents.

    fault_server      a running `FaultThread`: any client, in any event loop or in none, may use it
    fault_scenarios   what it can be asked for; define it anew to add your own
    treadle_script    a script's text to the model that plays it
    scripted_agent    a script's text, and whatever else an agent takes, to an agent

It loads with every pytest of an environment that has this package, so it imports nothing but pytest: what a fixture
needs is loaded when a test first asks for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from treadle.app.agent import Agent
    from treadle.testing.fault_thread import FaultThread
    from treadle.testing.faults.scenario import Scenario
    from treadle.testing.scripts import ScriptedModel


def _loaded(module: str, name: str) -> Any:  # noqa: ANN401 (whatever stands under that name)
    return getattr(importlib.import_module(module), name)


@pytest.fixture
def fault_scenarios() -> Mapping[str, Scenario]:
    """What `fault_server` can be asked for, by name: the catalogue."""
    scenarios: Mapping[str, Scenario] = _loaded("treadle.testing.faults.catalogue", "SCENARIOS")
    return scenarios


@pytest.fixture
def fault_server(fault_scenarios: Mapping[str, Scenario]) -> Iterator[FaultThread]:
    """A provider on loopback that fails as told: point a client at its `base_url`, name a scenario as the model."""
    server: FaultThread = _loaded("treadle.testing.fault_thread", "FaultThread")(scenarios=fault_scenarios)
    with server:
        yield server


@pytest.fixture
def treadle_script() -> Callable[..., ScriptedModel]:
    """Make a model of a script: `treadle_script("text: hello")`."""
    scripted: Callable[..., ScriptedModel] = _loaded("treadle.testing.scripts", "scripted")
    return scripted


@pytest.fixture
def scripted_agent(treadle_script: Callable[..., ScriptedModel]) -> Callable[..., Agent]:
    """Make an agent of a script: `scripted_agent("call: add {}", tools=[add])`. Its name is `scripted` by default."""

    def make(script: str, **options: Any) -> Agent:  # noqa: ANN401 (what an agent takes)
        agent: Agent = _loaded("treadle.app.agent", "Agent")(
            **{"name": "scripted", "model": treadle_script(script), **options}
        )
        return agent

    return make
