"""The local model: a small language model in this process, without key or network.

When it has tools and none has returned in this run, the model is made to call one, by a grammar that leaves it no
other text; after that it answers freely. A model this small cannot choose between the two, so the choice is not its.
"""

from __future__ import annotations

import asyncio
import importlib
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from treadle.adapters.models.local.call_text import call_grammar
from treadle.adapters.models.local.messages import calls_now, messages
from treadle.adapters.models.local.presence import checked_weights
from treadle.adapters.models.local.reading import PROVIDER, Chunk, Reading
from treadle.errors import ModelMissingError, ModelRefusedError
from treadle.ports.model import ModelRequest
from treadle.values.model import ModelItem

if TYPE_CHECKING:
    from treadle.adapters.models.local.engine import Engine, Job

STOP_WAIT_S: Final = 2.0
"""Seconds that a request which is left waits for the engine to leave it too."""

# Breaks loops, the vice of small models, by the length of what is repeated. A penalty on each single word would also
# keep the model from repeating the numbers and names it was given.
LOOP_PENALTY: Final = {
    "dry_multiplier": 0.8,
    "dry_base": 1.75,
    "dry_allowed_length": 16,
    "dry_penalty_last_n": 2048,
}


class LocalModel:
    """A language model that runs here.

    Shape:  `path` names other weights (GGUF), which its caller answers for; the packaged ones are verified.
    Units:  `context_tokens` is what prompt and answer share; `max_tokens` the most of one answer.
    """

    def __init__(
        self, *, path: Path | None = None, threads: int = 1, context_tokens: int = 2048, max_tokens: int = 1024
    ) -> None:
        for name, value in (("threads", threads), ("context_tokens", context_tokens), ("max_tokens", max_tokens)):
            if value < 1:
                raise ValueError(f"{name} must be 1 or more, not {value!r}")
        self._path = path
        self._threads = threads
        self._context_tokens = context_tokens
        self._max_tokens = max_tokens
        self._engine: Engine | None = None

    @property
    def name(self) -> str:
        """What the model is called in events."""
        return PROVIDER

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Ask once and yield what comes, a list of all that is there.

        Raises:
            ModelMissingError: The model is not installed, its weights are damaged, or the processor is too old.
            ModelRefusedError: The request holds an attachment, a tool that no grammar can say, or a prompt too long.
            ModelError:        The engine failed.
        Cancel:  Safe. Closing the generator stops the engine at the next token or batch of the prompt.
        """
        body, reading = _body(request, self._max_tokens)
        engine = await self._opened()
        inbox = _Inbox()
        job = engine.submit(body, inbox.put, inbox.end)
        try:
            while chunks := await inbox.take():
                yield reading.feed(chunks)
            if inbox.problem is not None:
                raise _load_failure(inbox.problem)
            yield reading.end()
        finally:
            await _left(job, inbox)

    async def aclose(self) -> None:
        """Let go of the weights. They leave the memory when nobody holds them for a while."""
        engine, self._engine = self._engine, None
        if engine is not None:
            _engines().release(engine)

    async def _opened(self) -> Engine:
        if self._engine is None:
            path = await asyncio.to_thread(checked_weights, self._path)
            engines = await asyncio.to_thread(_engines)
            if self._engine is None:
                key = engines.EngineKey(path=path, threads=self._threads, context_tokens=self._context_tokens)
                self._engine = engines.hold(key)
        return self._engine


class _Inbox:
    """What the engine's thread has said, until the event loop takes it."""

    def __init__(self) -> None:
        self.problem: Exception | None = None
        self.ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._chunks: deque[Chunk] = deque()
        self._news = asyncio.Event()

    def put(self, chunk: Chunk) -> None:
        """Called in the engine's thread."""
        self._chunks.append(chunk)
        self._loop.call_soon_threadsafe(self._news.set)

    def end(self, problem: Exception | None) -> None:
        """Called in the engine's thread, last."""
        self._loop.call_soon_threadsafe(self._close, problem)

    def _close(self, problem: Exception | None) -> None:
        self.problem = problem
        self.ended.set()
        self._news.set()

    async def take(self) -> list[Chunk]:
        """All chunks that are there, waiting for the first; none when no more will come."""
        while not self._chunks and not self.ended.is_set():
            self._news.clear()
            await self._news.wait()
        return [self._chunks.popleft() for _ in range(len(self._chunks))]


async def _left(job: Job, inbox: _Inbox) -> None:
    """Wait until the engine has left the request. One that it had not begun is skipped when its turn comes."""
    job.stop()
    if job.begun:
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_WAIT_S):
                await inbox.ended.wait()


def _body(request: ModelRequest, max_tokens: int) -> tuple[Mapping[str, Any], Reading]:
    """The request in the engine's words, and the reader of its answer."""
    if request.prompt.attachments:
        kinds = ", ".join(sorted({attachment.media_type for attachment in request.prompt.attachments}))
        raise ModelRefusedError(f"the local model reads text alone, came attachments of {kinds}", provider=PROVIDER)
    body: dict[str, Any] = {
        "messages": messages(request),
        "stream": True,
        "stream_options": {"include_usage": True},
        "timings_per_token": True,
        "return_progress": True,
        "temperature": 0,
        "max_tokens": max_tokens,
    }
    if not calls_now(request):
        return body | LOOP_PENALTY, Reading()
    grammar, problems = call_grammar(request.tools)
    if problems:
        raise ModelRefusedError(
            f"the local model cannot be given these tools: {'; '.join(problems)}", provider=PROVIDER
        )
    return body | {"grammar": grammar}, Reading([tool.name for tool in request.tools])


def _load_failure(problem: Exception) -> ModelMissingError:
    failed = ModelMissingError("the local engine could not load its weights", provider=PROVIDER, detail=str(problem))
    failed.__cause__ = problem
    return failed


def _engines() -> ModuleType:
    """The module that stands on the engine's library.

    It is loaded by the first question, so that an agent can be declared, and told what is missing, where the library
    is not installed; and in a thread, because loading native code takes a while.
    """
    return importlib.import_module("treadle.adapters.models.local.engine")
