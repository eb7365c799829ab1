"""The model over sockets and over a transport in memory, one fact a test."""

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpx2
import openai
import pytest

from treadle.adapters.models.openai_chat import OpenAIChat
from treadle.adapters.models.openai_chat.payload import ChatPayload
from treadle.errors import (
    MisuseError,
    ModelError,
    ModelGarbledError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from treadle.ports.model import ModelRequest
from treadle.testing.faults.catalogue import SCENARIOS
from treadle.testing.faults.server import FaultServer
from treadle.testing.faults.steps import LEAK_MARK, Stall
from treadle.values.model import TEXT, ModelTurn, TurnEnded
from treadle.values.requests import PromptAssembly
from treadle.values.tools import ToolSpec

QUESTION = ModelRequest(prompt=PromptAssembly(prompt="?"))
HELLO = b'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n'
STOP = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
_ENDING = sorted(
    name
    for name, scenario in SCENARIOS.items()
    if not any(isinstance(step, Stall) for reply in scenario.turns[0].replies for step in reply.steps)
)


pytestmark = pytest.mark.usefixtures("no_keys")


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that names no key and no server."""
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def _asked(
    name: str, server: FaultServer, *, options: dict[str, Any] | None = None
) -> AsyncGenerator[OpenAIChat, None]:
    model = OpenAIChat(name, base_url=server.base_url, options=options or {})
    try:
        yield model
    finally:
        await model.aclose()


async def _items(model: OpenAIChat, request: ModelRequest = QUESTION) -> list[Any]:
    async with asyncio.timeout(5):
        return [item async for items in model.ask(request) for item in items]


async def _turn(model: OpenAIChat) -> ModelTurn:
    last = (await _items(model))[-1]
    assert isinstance(last, TurnEnded)
    return last.turn


async def _heard(model: OpenAIChat) -> tuple[list[Any], ModelError | None]:
    """What came, and what it ended with if not in good order."""
    items: list[Any] = []
    try:
        async with asyncio.timeout(5):
            async for told in model.ask(QUESTION):
                items += told
    except ModelError as error:
        return items, error
    return items, None


async def _first_text(stream: AsyncGenerator[list[Any], None]) -> None:
    async for items in stream:
        if any(item[0] == TEXT for item in items if type(item) is tuple):
            return


async def _head(reader: asyncio.StreamReader) -> str:
    """The head of a request; "" when none comes any more."""
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    except asyncio.IncompleteReadError:
        return ""


async def _close(writer: asyncio.StreamWriter, ended: asyncio.Event) -> None:
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    ended.set()


async def _failing_reader(model: OpenAIChat) -> None:
    async with aclosing(model.ask(QUESTION)) as stream:
        await _first_text(stream)
        raise ZeroDivisionError


class _Body(httpx2.AsyncByteStream):
    """A body in memory that may break."""

    def __init__(self, *parts: bytes | Exception) -> None:
        self._parts = parts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            if isinstance(part, Exception):
                raise part
            yield part


@asynccontextmanager
async def _client(
    *parts: bytes | Exception, headers: dict[str, str] | None = None
) -> AsyncIterator[openai.AsyncOpenAI]:
    sent = {"content-type": "text/event-stream"} | (headers or {})
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=sent, stream=_Body(*parts)))
    async with openai.AsyncOpenAI(api_key="k", http_client=httpx2.AsyncClient(transport=transport)) as client:
        yield client


@pytest.mark.parametrize("name", _ENDING)
async def test_every_first_answer_of_the_catalogue_ends_in_a_turn_or_in_an_error_of_ours(name: str) -> None:
    """Never in both; no word of the provider's own error is in the message; nothing is left open (ours)."""
    async with FaultServer() as server, _asked(name, server) as model:
        items, error = await _heard(model)
        assert len(server.stats.of(name)) == 1
        await server.wait_for(lambda stats: stats.running() == 0)
    ends = [isinstance(item, TurnEnded) for item in items]
    expected = SCENARIOS[name].expected
    if error is None:
        assert ends == [False] * (len(items) - 1) + [True]
    else:
        assert not any(ends)
        assert error.provider == "openai-chat"
        assert LEAK_MARK not in str(error)
    if expected.requests == 1 and expected.code not in {"length", "content_filter"}:
        assert (error.code if error else None) == expected.code


async def test_there_is_one_list_a_read_even_if_it_is_empty() -> None:
    """An empty one says that the provider is alive (the port)."""
    cuts = [HELLO[at : at + 1] for at in range(len(HELLO))]
    async with _client(*cuts, STOP) as client:
        lists = [items async for items in OpenAIChat("m", client=client).ask(QUESTION)]
    assert lists[: len(cuts)] == [[]] * (len(cuts) - 1) + [[(TEXT, "Hello")]]
    assert len(lists) == len(cuts) + 2


@pytest.mark.requirement("BR-018")
async def test_no_connection_is_kept_by_an_answer_that_was_read_or_left() -> None:
    """Ten answers through a pool of two (field report)."""
    limits = httpx2.Limits(max_connections=2)
    async with (
        FaultServer() as server,
        openai.AsyncOpenAI(
            api_key="k",
            base_url=server.base_url,
            http_client=httpx2.AsyncClient(limits=limits, timeout=httpx2.Timeout(5.0)),
        ) as client,
    ):
        for _ in range(5):
            assert (await _turn(OpenAIChat("text", client=client))).text == "The cat sat on it."
        for _ in range(5):
            async with aclosing(OpenAIChat("stop_me", client=client).ask(QUESTION)) as stream:
                await _first_text(stream)
        await server.wait_for(lambda stats: stats.running() == 0 and stats.open_connections <= 1)


async def test_a_connection_is_used_again_after_an_answer_that_was_read() -> None:
    """Rounds of one run need not connect anew, even where the body ends a moment after the marker (ours)."""
    connections, ended = 0, asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while head := await _head(reader):
            await reader.readexactly(int(head.split("content-length: ")[1].split()[0]))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            writer.write(b"e\r\ndata: [DONE]\n\n\r\n")
            await writer.drain()
            writer.write(b"0\r\n\r\n")
        await _close(writer, ended)

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        model = OpenAIChat("m", base_url=f"http://127.0.0.1:{port}/v1")
        for _ in range(3):
            await _turn(model)
        await model.aclose()
        async with asyncio.timeout(5):
            await ended.wait()
    assert connections == 1


@pytest.mark.requirement("BR-196")
async def test_a_connection_that_is_kept_open_after_the_end_marker_is_let_go() -> None:
    """The turn ends with the marker (field report)."""
    async with FaultServer() as server, _asked("keep_open", server) as model:
        assert (await _turn(model)).text == "all"
        await server.wait_for(lambda stats: stats.open_connections == 0)


async def test_leaving_the_stream_closes_the_connection_before_it_returns() -> None:
    """The provider stops speaking at once (ours)."""
    async with FaultServer() as server, _asked("stop_me", server) as model:
        stream = model.ask(QUESTION)
        await _first_text(stream)
        await stream.aclose()
        await server.wait_for(lambda stats: stats.open_connections == 0)
        assert [exchange.end for exchange in server.stats.of("stop_me")] == ["left"]


async def test_a_stream_closed_before_its_first_step_asks_nothing() -> None:
    """And leaves no warning (ours)."""
    async with FaultServer() as server, _asked("text", server) as model:
        await model.ask(QUESTION).aclose()
        assert server.stats.exchanges == []


async def test_a_cancel_in_any_turn_of_the_loop_leaves_no_connection() -> None:
    """Ours: while it looks the host up, connects, sends, or waits for the head, on one client that stays open."""
    async with FaultServer() as server, _asked("stall_before_head", server) as model:
        asked: list[asyncio.Task[list[Any]]] = []
        for turns in range(60):
            asked.append(asyncio.create_task(_items(model)))
            for _ in range(turns):
                await asyncio.sleep(0)
            asked[-1].cancel()
        await asyncio.wait(asked)
        assert all(task.cancelled() for task in asked)
        async with _asked("text", server) as later:
            # Whoever connects last is let in last, so the server knows of all the others by now.
            await _items(later)
        await server.wait_for(lambda stats: stats.open_connections == stats.running() == 0)


@pytest.mark.parametrize("name", ["stall_before_head", "stall_after_head", "stop_me"])
async def test_a_cancelled_wait_closes_the_connection(name: str) -> None:
    """Before the answer, before its first byte and in its middle (ours)."""
    async with FaultServer() as server, _asked(name, server) as model:
        task = asyncio.create_task(_items(model))
        await server.wait_for(lambda stats: stats.stalled() == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.wait_for(lambda stats: stats.open_connections == 0)


async def test_a_reader_that_fails_closes_the_connection() -> None:
    """Whatever ends the reading (ours)."""
    async with FaultServer() as server, _asked("stop_me", server) as model:
        with pytest.raises(ZeroDivisionError):
            await _failing_reader(model)
        await server.wait_for(lambda stats: stats.open_connections == 0)


def test_a_model_is_asked_in_one_loop_after_the_other() -> None:
    """Each loop has its own connections and closes them at its end, without being told to (ours)."""
    model = OpenAIChat("text", base_url="http://127.0.0.1:1/v1")
    port = 0

    async def ask(given: OpenAIChat | None) -> OpenAIChat:
        nonlocal port
        async with FaultServer(port=port) as server:
            port = int(server.base_url.split(":")[2].removesuffix("/v1"))
            asked = given or OpenAIChat("text", base_url=server.base_url)
            assert (await _turn(asked)).text == "The cat sat on it."
            return asked

    model = asyncio.run(ask(None))
    for _ in range(2):
        asyncio.run(ask(model))
    del model
    gc.collect()


async def test_a_closed_model_may_be_asked_again() -> None:
    """It opens what it needs anew (the port)."""
    async with FaultServer() as server, _asked("text", server) as model:
        await model.aclose()
        await _turn(model)
        await model.aclose()
        await server.wait_for(lambda stats: stats.open_connections == 0)
        await _turn(model)


async def test_a_loop_that_ended_without_word_is_forgotten() -> None:
    """Its client cannot be closed any more (ours)."""
    async with FaultServer() as server:
        model = OpenAIChat("text", base_url=server.base_url)
        dead = asyncio.new_event_loop()
        dead.close()
        model._clients[dead] = None  # type: ignore[assignment]  # noqa: SLF001 (no loop in order gets there)
        await _turn(model)
        assert dead not in model._clients  # noqa: SLF001 (what the model holds is what is tried)
        await model.aclose()


async def test_a_client_that_was_given_is_used_without_retries_and_left_open() -> None:
    """Retries are the run's, the client is its owner's (ours)."""
    async with FaultServer() as server, openai.AsyncOpenAI(api_key="k", base_url=server.base_url) as client:
        model = OpenAIChat("status_500", client=client)
        with pytest.raises(ModelUnavailableError):
            await _items(model)
        assert len(server.stats.exchanges) == 1
        await model.aclose()
        assert not client.is_closed()


async def test_the_body_of_a_request_holds_what_it_should_and_no_more() -> None:
    """Options go through, known to the SDK or not; without tools there is no `tools` (ours)."""
    tools = (ToolSpec(name="add", description="Add.", parameters={"type": "object"}),)
    options = {"temperature": 0, "top_k": 5, "extra_body": {"min_p": 0.1}, "stop": ["a"]}
    async with FaultServer() as server:
        async with _asked("text", server) as model:
            await _items(model)
        async with _asked("text", server, options=options) as model:
            await _items(model, ModelRequest(prompt=PromptAssembly(prompt="?"), tools=tools))
        async with _asked("text", server, options={"stream_options": None}) as model:
            await _items(model)
        bare, full, plain = (exchange.body for exchange in server.stats.exchanges)
    question = [{"role": "user", "content": "?"}]
    usage = {"stream_options": {"include_usage": True}}
    assert bare == {"model": "text", "messages": question, "stream": True} | usage
    assert full == bare | {
        "temperature": 0,
        "top_k": 5,
        "min_p": 0.1,
        "stop": ["a"],
        "tools": [
            {"type": "function", "function": {"name": "add", "description": "Add.", "parameters": {"type": "object"}}}
        ],
    }
    assert plain == {"model": "text", "messages": question, "stream": True}


def test_what_the_adapter_sets_itself_is_no_option() -> None:
    """A model without a name is none either (ours)."""
    with pytest.raises(MisuseError):
        OpenAIChat("m", options={"messages": []})
    with pytest.raises(MisuseError):
        OpenAIChat("")


async def test_without_a_key_the_variable_is_named() -> None:
    """Only OpenAI's own server needs one (ours)."""
    with pytest.raises(ModelRefusedError, match="OPENAI_API_KEY"):
        await _items(OpenAIChat("m"))


@pytest.mark.parametrize(
    ("environment", "settings", "key"),
    [
        ({}, {}, "no-key"),
        ({"OPENAI_API_KEY": "from-environment"}, {}, "from-environment"),
        ({"OPENAI_API_KEY": "from-environment"}, {"api_key": "given"}, "given"),
    ],
)
async def test_headers_and_keys_are_those_of_the_sdk(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], settings: dict[str, str], key: str
) -> None:
    """The usual variables are honoured; a server of one's own is asked without a key (ours)."""
    heads: list[str] = []
    ended = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await _head(reader))
        writer.write(b"HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await _close(writer, ended)

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        model = OpenAIChat("m", headers={"x-own": "yes"}, **settings)
        with pytest.raises(ModelRefusedError):
            await _items(model)
        await model.aclose()
        async with asyncio.timeout(5):
            await ended.wait()
    lines = heads[0].splitlines()
    assert {f"authorization: bearer {key}", "x-own: yes", "openai-organization: org-1"} <= set(lines)


@pytest.mark.parametrize(
    ("base_url", "kind"), [("http://127.0.0.1:9/v1", ModelTimeoutError), ("127.0.0.1:9", ModelRefusedError)]
)
async def test_a_server_that_cannot_be_reached(base_url: str, kind: type[ModelError]) -> None:
    """Nobody listens, or the address is none (ours)."""
    model = OpenAIChat("m", base_url=base_url)
    with pytest.raises(kind):
        await _items(model)
    await model.aclose()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx2.ReadTimeout("secret"), ModelTimeoutError),
        (httpx2.ReadError("secret"), ModelTruncatedError),
        (httpx2.RemoteProtocolError("secret"), ModelTruncatedError),
    ],
)
async def test_a_connection_that_breaks_in_mid_answer_keeps_what_was_said(
    error: httpx2.HTTPError, kind: type[ModelError]
) -> None:
    """The error comes after the text; its cause is the library's (ours)."""
    async with _client(HELLO, error) as client:
        items, raised = await _heard(OpenAIChat("m", client=client))
    assert items == [(TEXT, "Hello")]
    assert type(raised) is kind
    assert raised is not None
    assert raised.__cause__ is error


async def test_a_connection_that_breaks_after_the_finish_breaks_nothing() -> None:
    """All had been said; after the end marker nothing is waited for (ours)."""
    for last in ((httpx2.ReadError("x"),), (b"data: [DONE]\n\n", httpx2.ReadError("x"))):
        async with _client(HELLO, STOP, *last) as client:
            assert (await _turn(OpenAIChat("m", client=client))).text == "Hello"


async def test_bytes_that_cannot_be_unpacked_are_garbled() -> None:
    """A wrong content encoding is the provider's (ours)."""
    async with _client(b"no gzip", headers={"content-encoding": "gzip"}) as client:
        with pytest.raises(ModelGarbledError):
            await _items(OpenAIChat("m", client=client))


def test_a_payload_is_stored_by_the_model_it_came_from() -> None:
    """Its form is the adapter's own affair (the design of turns)."""
    model = OpenAIChat("m")
    payload = ChatPayload(reasoning_field="reasoning")
    assert model.name == "m"
    assert model.load(model.dump(payload)) == payload
