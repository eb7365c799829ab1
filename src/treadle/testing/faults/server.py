"""A provider on loopback that fails as it is told to.

In: HTTP requests, each naming a scenario as its model. Out: what that scenario says, byte for byte, and a ledger of it.
Standard library only; it sends no byte through the code it is there to try.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from treadle.testing.faults.catalogue import SCENARIOS
from treadle.testing.faults.dialect import BadAskError, Dialect
from treadle.testing.faults.ledger import Exchange, Stats
from treadle.testing.faults.openai_chat import OpenAIChat
from treadle.testing.faults.request import BadRequestLineError, HttpRequest, read_request
from treadle.testing.faults.response import CallerLeftError, Response
from treadle.testing.faults.scenario import Scenario
from treadle.testing.faults.speaker import Speaker
from treadle.testing.faults.steps import Status

WAIT_S = 5.0
"""The longest `wait_for` waits. Nothing a test waits for on loopback takes as long."""

BACKLOG = 1024
"""Callers that may connect before the loop gets round to them. One more is not heard by the system, tries again after a
second, then after two, and may have gone long before the server learns that it was there."""


class FaultServer:
    """Serve scenarios while its `async with` lasts. Everything runs in the event loop it was entered in.

    Args:
        scenarios: By name; None: the catalogue.
        dialect: Whose words it speaks.
        port: 0 takes a free one.
    """

    def __init__(
        self, *, scenarios: Mapping[str, Scenario] | None = None, dialect: Dialect | None = None, port: int = 0
    ) -> None:
        self.scenarios = SCENARIOS if scenarios is None else scenarios
        self.stats = Stats(self._changed)
        self._dialect = dialect or OpenAIChat()
        self._port = port
        self._tries: Counter[tuple[str, int]] = Counter()
        self._released = asyncio.Event()
        self._watchers: set[asyncio.Future[None]] = set()
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._listener: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        """What a client takes for its base URL."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        """Listen."""
        self._listener = await asyncio.start_server(self._connected, "127.0.0.1", self._port, backlog=BACKLOG)
        self._port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening and drop every connection."""
        if self._listener is None:
            return
        self._listener.close()
        for exchange in self.stats.exchanges:
            exchange.close("cut")
        # A connection that is gone ends its task by itself; the streams module reports a cancelled one as a failure.
        for writer in self._connections.values():
            writer.transport.abort()
        await asyncio.gather(*self._connections)
        await self._listener.wait_closed()

    def release(self) -> None:
        """Let every response that is stalled now go on."""
        self._released.set()
        self._released = asyncio.Event()

    async def wait_for(self, condition: Callable[[Stats], bool]) -> None:
        """Wait until the ledger says so; it is asked at every change.

        Raises:
            TimeoutError: It did not within five seconds; the message holds the ledger.
        """
        try:
            async with asyncio.timeout(WAIT_S):
                while not condition(self.stats):
                    watcher = asyncio.get_running_loop().create_future()
                    self._watchers.add(watcher)
                    try:
                        await watcher
                    finally:
                        self._watchers.discard(watcher)
        except TimeoutError as error:
            raise TimeoutError(f"condition not met within {WAIT_S} s, stats are {self.stats.as_json()}") from error

    def _changed(self) -> None:
        for watcher in self._watchers:
            if not watcher.done():
                watcher.set_result(None)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # the streams module makes one a connection
        self._connections[task] = writer
        self.stats.connect(1)
        try:
            while await self._answer_next(reader, writer):
                pass
        except CallerLeftError:
            pass  # its exchange says so
        finally:
            writer.close()
            del self._connections[task]
            self.stats.connect(-1)

    async def _answer_next(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; say whether the connection may carry another."""
        response = Response(reader, writer, Exchange(body={}, on_change=self._changed))
        try:
            request = await read_request(reader)
        except BadRequestLineError as error:
            await response.send_whole(400, str(error).encode(), content_type="text/plain")
            return False
        if request is None:
            return False
        if (request.method, request.path) == ("POST", self._dialect.path):
            response = await self._complete(request, reader, writer)
        else:
            await self._answer_aside(request, response)
        return response.reusable and request.keeps_open

    async def _answer_aside(self, request: HttpRequest, response: Response) -> None:
        """Answer what is no request for a completion; none of it is in the ledger."""
        match request.method, request.path:
            case "GET", "/v1/models":
                await response.send_whole(200, self._dialect.models(sorted(self.scenarios)))
            case "GET", "/_stats":
                await response.send_whole(200, json.dumps(self.stats.as_json()).encode())
            case "POST", "/_release":
                self.release()
                await response.send_whole(200, b"{}")
            case _:
                missing = Status(code=404, kind="invalid_request_error", message=f"no route {request.path!r}")
                await response.send_whole(404, self._dialect.refusal(missing))

    async def _complete(
        self, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Response:
        exchange = Exchange(body=_object_of(request.body), on_change=self._changed)
        response = Response(reader, writer, exchange)
        self.stats.open(exchange)
        try:
            ask = self._dialect.read(exchange.body)
            scenario = self.scenarios[ask.scenario]
        except BadAskError as error:
            await self._refuse(response, exchange, 400, str(error))
            return response
        except KeyError as error:
            await self._refuse(response, exchange, 404, f"no scenario {error.args[0]!r}")
            return response
        turn = scenario.turns[min(ask.round_at, len(scenario.turns) - 1)]
        tried = self._tries[ask.scenario, ask.round_at]
        self._tries[ask.scenario, ask.round_at] += 1
        exchange.assign(ask.round_at, tried % len(turn.replies), streamed=ask.streamed)
        speaker = Speaker(self._dialect, ask, response=response, exchange=exchange, released=lambda: self._released)
        try:
            await speaker.speak(turn.replies[exchange.attempt_at])
        except CallerLeftError:
            exchange.close("left")
            raise
        return response

    async def _refuse(self, response: Response, exchange: Exchange, code: int, problem: str) -> None:
        exchange.problem = problem
        status = Status(code=code, kind="invalid_request_error", message=problem)
        await response.send_whole(code, self._dialect.refusal(status))
        exchange.close("refused")


def _object_of(body: bytes) -> dict[str, Any]:
    """The JSON object in a body; empty, and so refused, if there is none."""
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
