"""An application that starts and stops with whoever serves it."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from tests.runtime.stores import virtually
from tests.server.calls import ask
from treadle.app.application_life import LATE, ApplicationLife
from treadle.errors import StoreOwnedError


class Life:
    """Something that is entered, and writes it down."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.told: list[str] = []

    @property
    def is_entered(self) -> bool:
        """As the last word says."""
        return self.told[-1:] == ["in"]

    async def __aenter__(self) -> None:
        await asyncio.sleep(0)
        if self.failure is not None:
            raise self.failure
        self.told.append("in")

    async def __aexit__(self, *_: object) -> None:
        self.told.append("out")


async def hello(scope: Any, _: Any, send: Any) -> None:  # noqa: ANN401 (as ASGI has it)
    """An application."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


async def lived(app: Any) -> list[dict[str, Any]]:  # noqa: ANN401 (as ASGI has it)
    """What the application says to a lifespan that starts and shuts down."""
    told: list[dict[str, Any]] = []
    asked = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])

    async def receive() -> dict[str, Any]:
        return next(asked)

    async def send(message: dict[str, Any]) -> None:
        told.append(message)

    await app({"type": "lifespan"}, receive, send)
    return told


@virtually
async def test_it_starts_and_stops_with_the_lifespan() -> None:
    """ASGI: lifespan."""
    life = Life()
    told = await lived(ApplicationLife(hello, life))
    assert [message["type"] for message in told] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert life.told == ["in", "out"]


@virtually
async def test_a_start_that_fails_says_why_to_whoever_serves_it() -> None:
    """ASGI: startup.failed. The words are ours and safe to show."""
    (told,) = await lived(ApplicationLife(hello, Life(StoreOwnedError("another process has it"))))
    assert told == {"type": "lifespan.startup.failed", "message": "treadle: another process has it"}


def test_mounted_it_starts_with_the_first_request_once_and_says_what_that_means(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Issue: in three lines. An application that is mounted hears of no lifespan; it ends with the event loop."""
    life = Life()

    async def main() -> None:
        app = ApplicationLife(hello, life)
        calls = await asyncio.gather(*(ask(app, "GET", f"/{number}") for number in range(5)))
        assert [call.body for call in calls] == [f"/{number}".encode() for number in range(5)]

    with caplog.at_level(logging.WARNING, "treadle.server"):
        asyncio.run(main())
    assert life.told == ["in", "out"]
    assert [record.message for record in caplog.records] == [LATE]


@virtually
async def test_a_first_request_that_cannot_start_it_is_refused_and_the_next_one_tries_again() -> None:
    """Ours: whoever asks is answered, and nothing is stuck."""
    life = Life(StoreOwnedError("secret path"))
    app = ApplicationLife(hello, life)
    refused = await ask(app, "GET", "/")
    assert (refused.status, refused.json["code"]) == (503, "store_owned")
    assert b"secret" not in refused.body
    life.failure = None
    assert (await ask(app, "GET", "/")).status == 200
