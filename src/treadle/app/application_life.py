"""An ASGI application that starts and stops with whoever serves it.

In: the application, and what is to be entered while it is served. Out: the application, entered by the lifespan of ASGI
where there is one; else with the first request, since an application that is mounted in another one hears of none.
"""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType
from typing import Final, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from treadle.errors import TreadleError
from treadle.server.access.failures import refusal

_log: Final = logging.getLogger("treadle.server")

LATE: Final = (
    "started at the first request: runs that an earlier process left are taken up only now, and nothing drains at the "
    "end; give the application that this one is mounted in `lifespan=server.lifespan`"
)


class Lived(Protocol):
    """What is entered while the application is served."""

    @property
    def is_entered(self) -> bool:
        """Whether it is, by whomever, or has begun to stop."""
        ...

    async def __aenter__(self) -> object:
        """Start."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Stop."""
        ...


class ApplicationLife:
    """The application, as a server of ASGI is given it."""

    def __init__(self, app: ASGIApp, lived: Lived) -> None:
        self._app = app
        self._lived = lived
        self._starting = asyncio.Lock()
        self._keeper: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or live."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if not self._lived.is_entered:
            try:
                await self._start()
            except TreadleError as failure:
                await refusal(failure).send(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """The lifespan of ASGI."""
        await receive()
        try:
            await self._lived.__aenter__()
        except (TreadleError, OSError) as failure:
            await send({"type": "lifespan.startup.failed", "message": f"treadle: {failure}"})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._lived.__aexit__(None, None, None)
        await send({"type": "lifespan.shutdown.complete"})

    async def _start(self) -> None:
        async with self._starting:
            if self._lived.is_entered:
                return
            loop = asyncio.get_running_loop()
            begun: asyncio.Future[None] = loop.create_future()
            self._keeper = loop.create_task(self._keep(begun), name="treadle server")
            await begun
            _log.warning(LATE)

    async def _keep(self, begun: asyncio.Future[None]) -> None:
        """Stay entered for as long as the event loop runs."""
        try:
            await self._lived.__aenter__()
        except TreadleError as failure:
            begun.set_exception(failure)
            return
        begun.set_result(None)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await self._lived.__aexit__(None, None, None)
