"""The model port over a server that speaks OpenAI's chat completions.

In: a `ModelRequest`. Out: what the model says, in lists, one a read. The official SDK makes the request (keys, base
URL, headers, proxies); `reading` reads the bytes of the stream. Nothing is retried here: that is the run's business.

Source: OpenAI API reference, "Create chat completion".
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Final
from weakref import WeakKeyDictionary

import httpx2
import openai
from openai.resources.chat.completions import AsyncCompletions

from treadle.adapters.models.openai_chat.failures import PROVIDER, of_sdk
from treadle.adapters.models.openai_chat.payload import ChatPayload, dump_payload, load_payload
from treadle.adapters.models.openai_chat.reading import read
from treadle.adapters.models.openai_chat.request import chat_messages, chat_tools
from treadle.errors import MisuseError, ModelRefusedError
from treadle.ports.model import ModelRequest
from treadle.values.mappings import EMPTY, Json, frozen, thawed
from treadle.values.model import ModelItem

CONNECT_TIMEOUT_S: Final = 10.0
READ_TIMEOUT_S: Final = 600.0
"""The longest silence of a provider that is waited out here. A run's own limits are shorter."""

_NO_KEY: Final = "no-key"
"""Stands in for a key towards a server of one's own that asks for none: the SDK makes no request without one."""
_OURS: Final = frozenset({"model", "messages", "tools", "stream"})
_PARAMETERS: Final = frozenset(inspect.signature(AsyncCompletions.create).parameters)


class OpenAIChat:
    """A model by its name, at OpenAI or at any server with the same wire.

    Args:
        name: What the server calls the model.
        base_url: Where the server is; by default `OPENAI_BASE_URL`, or OpenAI.
        api_key: By default `OPENAI_API_KEY`. A server at a base URL of one's own may need none.
        headers: Sent with every request.
        options: Further fields of the request, such as `temperature`. One that the SDK does not know is sent all the
            same; `stream_options: None` leaves that field out for servers that refuse it.
        client: An SDK client to use instead of one made here, retries apart: those are the run's. It stays the
            caller's, who closes it.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        headers: Mapping[str, str] = EMPTY,
        options: Mapping[str, Any] = EMPTY,
        client: openai.AsyncOpenAI | None = None,
    ) -> None:
        if not name:
            raise MisuseError(f"a model has a name, not {name!r}")
        if taken := sorted(_OURS & options.keys()):
            raise MisuseError(f"options are further fields of a request, not {taken!r}: those are set here")
        self._name = name
        self._base_url = base_url
        self._api_key = api_key
        self._headers = dict(headers)
        self._options = frozen(options)
        self._given_client = None if client is None else client.with_options(max_retries=0)
        # A connection belongs to the loop it was opened in, and a model may be asked in one loop after the other.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopClient] = WeakKeyDictionary()

    @property
    def name(self) -> str:
        """What the model is called in events."""
        return self._name

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Ask once; see the port."""
        fields = self._fields(request)
        client = await self._client()
        try:
            async with (
                client.chat.completions.with_streaming_response.create(**fields) as response,
                aclosing(read(response.http_response)) as lists,
            ):
                async for items in lists:
                    yield items
        except openai.OpenAIError as error:
            raise of_sdk(error) from error

    async def aclose(self) -> None:
        """Close the connections of the running loop. Asking again opens new ones."""
        kept = self._clients.pop(asyncio.get_running_loop(), None)
        if kept is not None:
            await kept.aclose()

    def dump(self, payload: ChatPayload | None, /) -> Json:
        """The stored form of a turn's payload."""
        return dump_payload(payload)

    def load(self, value: Json, /) -> ChatPayload | None:
        """A turn's payload from its stored form."""
        return load_payload(value)

    def _fields(self, request: ModelRequest) -> dict[str, Any]:
        options = thawed(self._options)
        beyond = {name: options.pop(name) for name in options.keys() - _PARAMETERS}
        fields: dict[str, Any] = {"stream_options": {"include_usage": True}, **options}
        if fields["stream_options"] is None:
            del fields["stream_options"]
        if beyond:
            fields["extra_body"] = {**(fields.get("extra_body") or {}), **beyond}
        if request.tools:
            fields["tools"] = chat_tools(request.tools)
        return fields | {"model": self._name, "messages": chat_messages(request), "stream": True}

    async def _client(self) -> openai.AsyncOpenAI:
        if self._given_client is not None:
            return self._given_client
        loop = asyncio.get_running_loop()
        kept = self._clients.get(loop)
        if kept is None:
            for gone in [known for known in self._clients if known.is_closed()]:
                del self._clients[gone]
            kept = self._clients[loop] = _LoopClient(self._new_client())
            await kept.open()
        return kept.client

    def _new_client(self) -> openai.AsyncOpenAI:
        key = self._api_key
        if not key and not os.environ.get("OPENAI_API_KEY") and self._has_own_server:
            key = _NO_KEY
        try:
            return openai.AsyncOpenAI(
                api_key=key,
                base_url=self._base_url,
                default_headers=self._headers,
                timeout=httpx2.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
                max_retries=0,
            )
        except openai.OpenAIError as error:
            raise ModelRefusedError(
                "no key for OpenAI: set OPENAI_API_KEY, or give api_key, or the base_url of a server that needs none",
                provider=PROVIDER,
                detail=str(error),
            ) from error

    @property
    def _has_own_server(self) -> bool:
        return bool(self._base_url or os.environ.get("OPENAI_BASE_URL"))


class _LoopClient:
    """A client that is closed with the loop it was made in.

    A loop that ends closes the async generators begun in it, so one of them holds the client.
    """

    def __init__(self, client: openai.AsyncOpenAI) -> None:
        self.client = client
        self._keeper = self._keep()

    async def open(self) -> None:
        await anext(self._keeper)

    async def aclose(self) -> None:
        await self._keeper.aclose()

    async def _keep(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            await self.client.close()
