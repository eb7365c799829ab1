"""The agent of a provider that breaks off: a served agent over a fault server, and what that server says.

`treadle serve treadle.cli.demos.cut_provider:server` serves it, with the provider's address in `OPENAI_BASE_URL`.
"""

from __future__ import annotations

from typing import Final

from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.cli.demos.server_process import place_of_store
from treadle.testing.faults import Done, Eof, Finish, RoleOnly, Scenario, attempts, fails, reply, say

NAME: Final = "narrator"
MODEL: Final = "cut-then-whole"
PARTIAL: Final = "The warp is set, and the weft "
"""What the provider says before it breaks off."""
WHOLE: Final = "goes over and under it."
"""What it says when it is asked the next time."""

SCENARIO: Final = Scenario(
    name=MODEL,
    says="the first answer is cut in the middle, the next one is whole",
    turns=(
        attempts(
            reply(RoleOnly(), say(*PARTIAL.partition(", ")), Eof(body_ended=False)),
            reply(RoleOnly(), say(WHOLE), Finish(reason="stop"), Done()),
        ),
    ),
    expected=fails("upstream_truncated", PARTIAL),
)


def agent() -> Agent:
    """The agent.

    Raises:
        PlanError: The extra `openai` is not installed.
    """
    return Agent(name=NAME, model=f"openai-chat:{MODEL}")


def server() -> Server:
    """The server of the agent.

    Raises:
        PlanError: The extra `openai` is not installed.
    """
    return Server([agent()], store=place_of_store())
