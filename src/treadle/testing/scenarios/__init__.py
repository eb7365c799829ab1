"""Agents whose model is a script, one for each way a run can go: what clients of a wire are tried against.

    treadle serve treadle.testing.scenarios

serves them all. What they say depends on the prompt, so that runs can be told apart; each can be asked as often as one
likes, by any number at once, and taken over by another process. `scenario_agents` makes them with another sense of
time.

Source: docs/testing.md.
"""

from treadle.testing.scenarios.catalogue import SCRIPTED_AGENTS, ScriptedAgent, scenario_agents

agents = scenario_agents()
"""All of them."""

__all__ = ["SCRIPTED_AGENTS", "ScriptedAgent", "agents", "scenario_agents"]
