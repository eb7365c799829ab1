"""The server of the slow reader: an agent that says more than the buffers between two processes hold.

`treadle serve treadle.cli.demos.flood:server` serves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.models.scripted.steps import Said, turn
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.cli.demos.paced_model import PacedModel
from treadle.cli.demos.server_process import place_of_store
from treadle.server.pulse import Rhythm
from treadle.values.limits import Limits

NAME: Final = "flood"
PROMPT: Final = "Tell me everything."
PIECES: Final = 4000
PIECE_CHARACTERS: Final = 400
PIECES_A_READ: Final = 8
PIECE_S: Final = 0.001
FROZEN_S: Final = 1.0
"""Seconds after which a reader that takes nothing is ended. A server of its own leaves it half a minute."""


def pieces() -> Iterator[str]:
    """What it says: pieces that all differ."""
    for number in range(PIECES):
        yield f"{number:06d}{chr(ord('a') + number % 26) * (PIECE_CHARACTERS - 6)}"


def agent() -> Agent:
    """The agent.

    Raises:
        PlanError: Never on a whole installation.
    """
    model = ScriptedModel([turn(Said(pieces=tuple(pieces())))], items_per_read=PIECES_A_READ)
    return Agent(
        name=NAME, model=PacedModel(model, first_s=0, piece_s=PIECE_S), limits=Limits(output_bytes=None, stall_s=None)
    )


def server() -> Server:
    """The server."""
    return Server([agent()], store=place_of_store(), rhythm=Rhythm(frozen_s=FROZEN_S))
