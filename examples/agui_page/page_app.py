"""A page on the official AG-UI client and an agent behind it. README.md beside this file says how to start it.

The model is one of our own that thinks a word, says the same words slowly, and wants to publish whatever it is told to,
so that nothing here needs a key; `Agent(name="guide", model="openai-chat:gpt-5", tools=[publish])` asks a real one.
"""

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from treadle import Agent, Server, tool
from treadle.ports.model import ModelRequest
from treadle.values.calls import ToolRequest
from treadle.values.model import ARGUMENTS, TEXT, THINKING, CallNamed, ModelItem, ModelTurn, TurnEnded

THOUGHT = "Somebody asks whether they may leave."
ANSWER = """A run is written down while it goes on, and whoever reads it reads what is written. So you may close
this page in the middle of a sentence, and open it again: every word is there, once, and in its place."""
WORDS = [f"{word} " for word in ANSWER.split()]


@tool(requires_approval=True)
def publish(text: str) -> str:
    """Publish a text, for everybody to read."""
    return f"{text!r} is published"


class Guide:
    """A model: it is asked, and yields what it says in pieces."""

    name = "guide"

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Think and say the words, or publish what is to be published and say what came of it."""
        prompt = request.prompt.prompt
        if prompt.startswith("publish ") and not request.turns:
            call = {"text": prompt.removeprefix("publish ")}
            yield [CallNamed(slot=0, name="publish"), (ARGUMENTS, json.dumps(call))]
            yield [TurnEnded(turn=ModelTurn(tool_requests=(ToolRequest(name="publish", arguments=call),)))]
            return
        said = WORDS
        if request.turns:
            outcome = request.turns[-1].outcomes[0]
            said = [f"{outcome.content or outcome.error}."]
        else:
            yield [(THINKING, THOUGHT)]
        for piece in said:
            await pause()
            yield [(TEXT, piece)]
        yield [TurnEnded(turn=ModelTurn(text="".join(said)))]

    async def aclose(self) -> None:
        """Nothing is held."""


async def pause() -> None:
    """Wait for as long as a model takes for a word."""
    await asyncio.sleep(0.1)


HERE = Path(__file__).parent


def application(store: str, page: Path) -> Starlette:
    """The page at `/`, and the agent below `/agents`."""
    server = Server([Agent(name="guide", model=Guide(), tools=[publish])], store=store)
    routes = [Mount("/agents", server.asgi), Mount("/", StaticFiles(directory=page, html=True, check_dir=False))]
    return Starlette(routes=routes, lifespan=server.lifespan)


app = application(os.environ.get("PAGE_STORE", f"sqlite:///{HERE / 'threads.db'}"), HERE / "dist")
