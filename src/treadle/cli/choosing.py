"""The options of a command to the agent that is to run.

Defaults: without `--agent` a plain assistant, and then the model on this machine; with it the agent's own model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from treadle.app.agent import Agent
from treadle.app.registry import model_named
from treadle.cli.exits import CommandMisuseError
from treadle.cli.loading import load_agent

DEFAULT_MODEL = "local"
SERVED = ("openai-",)
"""How the names of models begin that a server at a base URL can have."""
ASSISTANT = "You are a helpful assistant. Answer briefly."


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the options say about the agent. None: not given."""

    agent: str | None
    model: str | None
    base_url: str | None
    timeout_s: float | None

    def __post_init__(self) -> None:
        if self.timeout_s is not None and not 0 < self.timeout_s < math.inf:
            raise CommandMisuseError(f"--timeout must be a number of seconds above 0, not {self.timeout_s!r}")
        if self.model == "":
            raise CommandMisuseError("--model must name a model, such as openai-chat:NAME, not be empty")
        if self.base_url is not None and not _is_web_address(self.base_url):
            raise CommandMisuseError(
                f"--base-url must be http://HOST or https://HOST with a path, not {self.base_url!r}"
            )


def chosen_agent(choice: Choice) -> Agent:
    """The agent to run, with the model and the limit of time that were asked for.

    Raises:
        CommandMisuseError: The options name no agent, or do not fit each other.
        PlanError: There is no such model, or it cannot be used here.
    """
    agent = _with_model(choice)
    if choice.timeout_s is None:
        return agent
    return agent.with_limits(replace(agent.plan.limits, wall_clock_s=choice.timeout_s))


def _with_model(choice: Choice) -> Agent:
    if choice.base_url is not None and not (choice.model or "").startswith(SERVED):
        raise CommandMisuseError("--base-url needs --model openai-chat:NAME: it says where that model is served")
    if choice.agent is None:
        model = model_named(choice.model or DEFAULT_MODEL, base_url=choice.base_url)
        return Agent(name="assistant", model=model, instructions=ASSISTANT)
    agent = load_agent(choice.agent)
    if choice.model is None:
        return agent
    return agent.with_model(model_named(choice.model, base_url=choice.base_url))


def _is_web_address(url: str) -> bool:
    """Whether a request can be sent there: a scheme that is spoken, a host, a port that is one."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (it is read when it is asked for, and may be no number)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and url.isprintable() and " " not in url
