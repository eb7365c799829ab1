"""The door for commands on this machine: the ports of the store, for whoever can read the file beside it.

In: requests with the owner's token. Out: what the store says. The token stands in a file that only the owner's own user
can read, as the store itself does, so it opens what that user has already: all runs of all scopes.

Source: ADR 0021 (a command goes through the owner).
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from typing import Final, Protocol, TypeAlias, runtime_checkable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from treadle.codec.owner_wire import LONGEST_WAIT_S, PATH, Asked, ImportedRuns, dump, dump_stretches, load, refused
from treadle.errors import MisuseError, RunLogError, UnauthenticatedError
from treadle.ports.store import Store
from treadle.server.access.credentials import bearer_of
from treadle.server.access.failures import refusal
from treadle.values.ids import RunId, ThreadId

STORE_REFUSES: Final = 409
"""The status of an answer that tells an exception of the store's."""
SPOOL_BYTES: Final = 16 * 1024 * 1024
"""Bytes of an import that are kept in memory; more goes to a temporary file."""

Operation: TypeAlias = Callable[[Store, Asked], Awaitable[bytes]]


class Imported(Protocol):
    """What an import came to."""

    @property
    def new(self) -> int:
        """How many runs were put in."""
        ...

    @property
    def known(self) -> int:
        """How many were there before."""
        ...


@runtime_checkable
class Portable(Protocol):
    """A store whose runs can be taken out and put in."""

    def export(
        self, scope: str, /, *, run_ids: Collection[RunId] | None = None, with_facts: bool = False
    ) -> AsyncIterator[str]:
        """Runs as lines."""
        ...

    async def import_lines(self, lines: Iterable[str], /) -> Imported:
        """Put runs in."""
        ...


class Owner:
    """Who may come in by this door, and to which store. Closed until `open`."""

    def __init__(self) -> None:
        self._token: str | None = None
        self._store: Store | None = None
        self._sent: Callable[[RunId], Awaitable[None]] | None = None

    def open(self, store: Store, sent: Callable[[RunId], Awaitable[None]]) -> str:
        """Let in whoever has the token that this gives. `sent` is told of a run that somebody has sent to."""
        self._store, self._sent = store, sent
        self._token = secrets.token_urlsafe(32)
        return self._token

    def close(self) -> None:
        """Let nobody in any more."""
        self._token = self._store = self._sent = None

    async def answer(self, request: Request, name: str) -> Response:
        """What the store says to a question.

        Raises:
            HTTPException: The door is closed, or there is no such question.
            UnauthenticatedError: The token is not the owner's.
        """
        if request.method != "POST":
            raise HTTPException(status_code=405, headers={"Allow": "POST"})
        store = self._let_in(request)
        try:
            if name == "import":
                return _json(await _imported(store, request))
            asked = load(await request.body(), Asked)
            if name == "export":
                return await _exported(store, asked)
            if name not in OPERATIONS:
                raise HTTPException(status_code=404)
            told = await OPERATIONS[name](store, asked)
            if name == "send" and self._sent is not None:
                await self._sent(RunId(asked.run_id))
            return _json(told)
        except RunLogError as error:
            return Response(refused(error), status_code=STORE_REFUSES, media_type="application/json")

    def _let_in(self, request: Request) -> Store:
        if self._store is None or self._token is None:
            raise HTTPException(status_code=404)
        token = bearer_of(request) or ""
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            raise UnauthenticatedError("expected the token that stands in the file beside the store")
        return self._store


class OwnerDoor:
    """An ASGI middleware: the door stands before the guards of the other routes, for it has a lock of its own."""

    def __init__(self, app: ASGIApp, owner: Owner) -> None:
        self._app = app
        self._owner = owner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the owner's commands, or let the application answer."""
        path = scope["path"].removeprefix(scope.get("root_path", "")) if scope["type"] == "http" else ""
        if not path.startswith(f"{PATH}/"):
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive, send)
        try:
            response = await self._owner.answer(request, path.removeprefix(f"{PATH}/"))
        except Exception as error:  # noqa: BLE001 (the border of a request: each exception has its refusal)
            await refusal(error).send(scope, receive, send)
            return
        await response(scope, receive, send)


async def _state(store: Store, asked: Asked) -> bytes:
    return dump(await store.state(asked.scope, RunId(asked.run_id)))


async def _read(store: Store, asked: Asked) -> bytes:
    return dump_stretches(await store.read(asked.scope, RunId(asked.run_id), asked.after, limit=asked.limit))


async def _wait(store: Store, asked: Asked) -> bytes:
    timeout_s = min(asked.timeout_s, LONGEST_WAIT_S)
    await store.wait(asked.scope, RunId(asked.run_id), asked.after, timeout_s=timeout_s)
    return dump(None)


async def _find(store: Store, asked: Asked) -> bytes:
    found = await store.find(
        asked.scope,
        thread_id=None if asked.thread_id is None else ThreadId(asked.thread_id),
        statuses=asked.statuses,
        before=None if asked.before is None else RunId(asked.before),
        limit=asked.limit,
    )
    return dump(list(found))


async def _send(store: Store, asked: Asked) -> bytes:
    run_id, unless = RunId(asked.run_id), asked.unless
    return dump(await store.send(asked.scope, run_id, key=asked.key, kind=asked.kind, body=asked.body, unless=unless))


async def _inbox(store: Store, asked: Asked) -> bytes:
    return dump(list(await store.inbox(asked.scope, RunId(asked.run_id))))


async def _delete(store: Store, asked: Asked) -> bytes:
    return dump(await store.delete(asked.scope, RunId(asked.run_id)))


OPERATIONS: Final[Mapping[str, Operation]] = {
    "state": _state,
    "read": _read,
    "wait": _wait,
    "find": _find,
    "send": _send,
    "inbox": _inbox,
    "delete": _delete,
}
"""What may be asked, by name, beside `export` and `import`, whose bodies are lines."""


async def _exported(store: Store, asked: Asked) -> Response:
    run_ids = None if asked.run_ids is None else tuple(map(RunId, asked.run_ids))
    lines = aiter(_portable(store).export(asked.scope, run_ids=run_ids, with_facts=asked.with_facts))
    # What is refused is refused before the first line, and before the status.
    first = await anext(lines, None)

    async def body() -> AsyncGenerator[str, None]:
        if first is not None:
            yield f"{first}\n"
        async for line in lines:
            yield f"{line}\n"

    return StreamingResponse(body(), media_type="application/x-ndjson")


async def _imported(store: Store, request: Request) -> bytes:
    portable = _portable(store)
    with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES, mode="w+b") as spool:
        async for piece in request.stream():
            spool.write(piece)
        spool.seek(0)
        done = await portable.import_lines(line.decode() for line in spool)
    return dump(ImportedRuns(new=done.new, known=done.known))


def _portable(store: Store) -> Portable:
    if not isinstance(store, Portable):
        raise MisuseError("this store gives nothing out and takes nothing in")
    return store


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json", headers={"cache-control": "no-store"})
