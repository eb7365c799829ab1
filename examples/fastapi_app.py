"""An agent in your own FastAPI application: the three lines that are marked are all that it takes.

    pip install "treadle[server]" fastapi
    uvicorn --app-dir examples fastapi_app:app

Then open http://127.0.0.1:8000. The page is `browser.html`; close it in the middle of an answer, open it again by the
same address, and it goes on. The model is one of our own that says the same words slowly, so that nothing here needs a
key or a network; `Agent(name="guide", model="openai-chat:gpt-5")` asks a real one.
"""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse

from treadle import Agent, Server
from treadle.ports.model import ModelRequest
from treadle.values.model import TEXT, ModelItem, ModelTurn, TurnEnded

ANSWER = """A run is written down while it goes on, and whoever reads it reads what is written. So you may close this
page in the middle of a sentence, or lose your connection in a tunnel, and come back: every word is there, once, and in
its place. A run ends when it is over, or when somebody presses Stop. Leaving is not stopping."""
WORDS = [f"{word} " for word in ANSWER.split()]


class Guide:
    """A model: it is asked, and yields what it says in pieces."""

    name = "guide"

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Say the words, whatever was asked."""
        said = [f"You asked: {request.prompt.prompt}\n\n", *WORDS]
        for piece in said:
            await pause()
            yield [(TEXT, piece)]
        yield [TurnEnded(turn=ModelTurn(text="".join(said)))]

    async def aclose(self) -> None:
        """Nothing is held."""


async def pause() -> None:
    """Wait for as long as a model takes for a word."""
    await asyncio.sleep(0.1)


server = Server([Agent(name="guide", model=Guide())])  # 1
app = FastAPI(lifespan=server.lifespan)  # 2
app.mount("/agents", server.asgi)  # 3


@app.get("/", response_class=FileResponse)
def page() -> Path:
    """Show the page: a route of your own, beside the agent's."""
    return Path(__file__).with_name("browser.html")
