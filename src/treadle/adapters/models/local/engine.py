"""The engine that runs the weights, in a thread of its own: requests in, chunks out through callbacks.

One engine a process and file: whoever asks for the same weights shares it, so they are in memory once, and requests
are answered one after the other. Knows nothing of event loops and of what a chunk means.

Source: xllamacpp, which binds the server of llama.cpp.
"""

# The engine has no types, and is not installed everywhere that its callers are checked.
# mypy: disable-error-code="import-untyped, import-not-found"

from __future__ import annotations

import atexit
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

# Threads that wait for each other spin unless told otherwise, which starves everyone else on a small machine. The
# engine's threading library reads this once, when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import xllamacpp

LINGER_S: Final = 30.0
"""Seconds that an engine nobody holds keeps its weights, so that runs in a row load them once."""
EXIT_WAIT_S: Final = 10.0
"""Seconds that the end of the process waits for native code to come back."""
PROMPT_BATCH: Final = 64
"""Tokens of a prompt that are read at once. The engine can be stopped between two batches, not within one."""
LONGEST_SOCKET_PATH: Final = 90
"""Bytes in the path of a local socket that every system takes."""

OnChunk = Callable[[Mapping[str, Any]], None]
OnEnd = Callable[[Exception | None], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineKey:
    """What makes two engines the same."""

    path: Path
    threads: int
    context_tokens: int


class Job:
    """One request. `on_chunk` and `on_end` are called in the engine's thread, `on_end` exactly once, last."""

    def __init__(self, body: Mapping[str, Any], on_chunk: OnChunk, on_end: OnEnd) -> None:
        self.body = dict(body)
        self.begun = False
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether nobody waits for this request any more."""
        return self._stopped

    def stop(self) -> None:
        """Ask the engine to leave it: at the next token, or at the next batch of the prompt."""
        self._stopped = True

    def take(self, chunk: Mapping[str, Any]) -> bool:
        """Hand one chunk on. True tells the engine to stop."""
        if not self._stopped:
            try:
                self._on_chunk(chunk)
            except RuntimeError:  # The event loop of whoever asked is closed.
                self._stopped = True
        return self._stopped

    def finish(self, problem: Exception | None) -> None:
        """Tell that no chunk follows."""
        try:
            self._on_end(problem)
        except RuntimeError:
            self._stopped = True


class Engine:
    """The weights in memory and the thread that runs them. Loaded by the first request."""

    def __init__(self, key: EngineKey) -> None:
        self.key = key
        self.holders = 0
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._running: Job | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="treadle-local-model", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, body: Mapping[str, Any], on_chunk: OnChunk, on_end: OnEnd) -> Job:
        """Queue a request behind those that are there."""
        job = Job(body, on_chunk, on_end)
        self._jobs.put(job)
        return job

    def close(self) -> None:
        """Stop what runs, and wait for the thread."""
        self._closing = True
        if self._running is not None:
            self._running.stop()
        self._jobs.put(None)
        self.join(EXIT_WAIT_S)

    def join(self, timeout_s: float) -> None:
        """Wait for the thread to end."""
        self._thread.join(timeout_s)

    def _work(self) -> None:
        server: Any = None
        while True:
            try:
                job = self._jobs.get(timeout=LINGER_S)
            except Empty:
                if _retired(self):
                    return
                continue
            if job is None:
                return
            job.begun = True
            problem: Exception | None = None
            if not job.stopped and not self._closing:
                self._running = job
                try:
                    server = server or _server(self.key)
                    server.handle_chat_completions(job.body, job.take)
                except Exception as failure:  # noqa: BLE001 (the border of the native engine: its failure is the request's)
                    problem = failure
                self._running = None
            job.finish(problem)


_engines: dict[EngineKey, Engine] = {}
_lock: Final = threading.Lock()


def hold(key: EngineKey) -> Engine:
    """The engine for these weights, started if there is none. Let go of it with `release`."""
    with _lock:
        engine = _engines.get(key)
        if engine is None:
            engine = _engines[key] = Engine(key)
            engine.start()
        engine.holders += 1
        return engine


def release(engine: Engine) -> None:
    """Hold it no longer. An engine that nobody holds is unloaded a while later."""
    with _lock:
        engine.holders -= 1


def _retired(engine: Engine) -> bool:
    """Whether an idle engine has no holder; it is then forgotten, and its thread ends."""
    with _lock:
        if engine.holders > 0:
            return False
        _engines.pop(engine.key, None)
        return True


def _server(key: EngineKey) -> Any:  # noqa: ANN401 (the engine's own class, which has no types)
    """Load the weights. What the engine would log goes nowhere.

    Raises:
        RuntimeError: The file cannot be loaded.
    """
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(key.path)
    parameters.model_alias = {"local"}
    parameters.n_ctx, parameters.n_parallel, parameters.n_batch = key.context_tokens, 1, PROMPT_BATCH
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = key.threads
    parameters.warmup, parameters.verbosity, parameters.prefill_assistant = False, -1, False
    # Copies of prompts that are not in use could grow to gigabytes; the prompt in use is kept in any case.
    parameters.cache_ram_mib = 0
    # The engine always listens somewhere. Nobody is to find it: no page, a key that is drawn and forgotten, and a
    # socket whose only name is taken away once it is made. A loopback port is left for systems without such sockets.
    parameters.ui = False
    parameters.api_keys = [secrets.token_urlsafe(32)]
    with tempfile.TemporaryDirectory(prefix="treadle-", ignore_cleanup_errors=True) as folder:
        name = str(Path(folder, "engine.sock"))
        if os.name == "posix" and len(os.fsencode(name)) <= LONGEST_SOCKET_PATH:
            parameters.hostnames = [name]
        return xllamacpp.Server(parameters)


@atexit.register
def _close_all() -> None:
    """Native code must have come back before the interpreter goes, or the process ends with noise."""
    for engine in list(_engines.values()):
        engine.close()
