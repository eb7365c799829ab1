"""Exceptions to what a client is told of them: a status, a stable code, a sentence, a reference.

In: any exception. Out: a refusal; and a line in the operator's log under the same reference, with the traceback where
this side failed. What a provider, a tool or a library said stands in that log alone. A message goes out only of classes
whose messages are ours and speak of what the client itself sent.
"""

from __future__ import annotations

import logging
import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from treadle.codec.foreign import json_bytes
from treadle.errors import (
    AccessError,
    AccessUnavailableError,
    AgentNotFoundError,
    AlreadyAnsweredError,
    AnswerProblem,
    BadAnswerError,
    BadRequestError,
    BodyTooLargeError,
    BodyTooSlowError,
    CancelAskedError,
    CapError,
    CursorError,
    ForbiddenError,
    HostRefusedError,
    KeyReusedError,
    OriginRefusedError,
    OutboundRefusedError,
    PauseNotFoundError,
    PauseOpenError,
    PeerError,
    ResumeError,
    RunFinalError,
    RunLiveError,
    RunLogError,
    RunNotFoundError,
    RunTooLargeError,
    StoppingError,
    StoreFullError,
    StoreOwnedError,
    ThreadBusyError,
    TicketError,
    TokenExpiredError,
    TokenInvalidError,
    TreadleError,
    UnauthenticatedError,
)
from treadle.framing.surrogates import whole_text
from treadle.values.mappings import EMPTY, FrozenDict, Json, empty

_log: Final = logging.getLogger("treadle.server")

MAX_MESSAGE_CHARS: Final = 500
MOST_PROBLEMS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is said of one class of exceptions. `message` None: the exception's own words, since they are ours."""

    status: HTTPStatus
    message: str | None


_FAILED: Final = Row(status=HTTPStatus.INTERNAL_SERVER_ERROR, message="this server failed; whoever runs it finds why")
_UPSTREAM: Final = Row(status=HTTPStatus.BAD_GATEWAY, message="what this server asks in its turn failed")
_AWAY: Final = Row(status=HTTPStatus.SERVICE_UNAVAILABLE, message="this cannot be answered now; try again later")


def _ours(status: HTTPStatus) -> Row:
    return Row(status=status, message=None)


ROWS: Final[Mapping[type[Exception], Row]] = {
    TreadleError: _FAILED,
    PeerError: _UPSTREAM,
    BadRequestError: _ours(HTTPStatus.BAD_REQUEST),
    AgentNotFoundError: _ours(HTTPStatus.NOT_FOUND),
    OutboundRefusedError: _ours(HTTPStatus.BAD_REQUEST),
    AccessError: Row(status=HTTPStatus.FORBIDDEN, message="this is not allowed"),
    UnauthenticatedError: Row(
        status=HTTPStatus.UNAUTHORIZED, message="the request does not say, or not truly, who asks"
    ),
    TicketError: Row(
        status=HTTPStatus.UNAUTHORIZED,
        message="a ticket opens one run, once, and soon after it was issued; ask for another",
    ),
    ForbiddenError: Row(status=HTTPStatus.FORBIDDEN, message="whoever asks may not do this"),
    HostRefusedError: Row(
        status=HTTPStatus.MISDIRECTED_REQUEST,
        message="this server does not answer for the host that the request names; `Sites(hosts=…)` adds one",
    ),
    OriginRefusedError: Row(
        status=HTTPStatus.FORBIDDEN,
        message="pages of this origin may not change anything here; `Sites(origins=…)` adds one",
    ),
    AccessUnavailableError: Row(
        status=HTTPStatus.SERVICE_UNAVAILABLE, message="who asks cannot be found out now; try again later"
    ),
    CapError: _ours(HTTPStatus.TOO_MANY_REQUESTS),
    BodyTooLargeError: _ours(HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    BodyTooSlowError: _ours(HTTPStatus.REQUEST_TIMEOUT),
    RunTooLargeError: _ours(HTTPStatus.CONFLICT),
    RunLogError: _FAILED,
    RunNotFoundError: Row(status=HTTPStatus.NOT_FOUND, message="there is no such run or thread"),
    KeyReusedError: Row(status=HTTPStatus.UNPROCESSABLE_ENTITY, message="the key was used before, for another request"),
    ThreadBusyError: Row(status=HTTPStatus.CONFLICT, message="the thread has a live run"),
    PauseOpenError: Row(
        status=HTTPStatus.CONFLICT, message="the thread's run waits for a person, and a message is no answer"
    ),
    RunFinalError: Row(status=HTTPStatus.CONFLICT, message="the run is final: it hears nothing more"),
    RunLiveError: Row(status=HTTPStatus.CONFLICT, message="the run is not final yet"),
    CursorError: _ours(HTTPStatus.BAD_REQUEST),
    StoppingError: _AWAY,
    StoreOwnedError: _AWAY,
    StoreFullError: Row(status=HTTPStatus.INSUFFICIENT_STORAGE, message="there is no room to write"),
    ResumeError: Row(status=HTTPStatus.CONFLICT, message="the answer was refused"),
    BadAnswerError: _ours(HTTPStatus.BAD_REQUEST),
    PauseNotFoundError: Row(status=HTTPStatus.NOT_FOUND, message="the run has no such pause"),
    TokenInvalidError: Row(status=HTTPStatus.NOT_FOUND, message="the token is none of this pause"),
    TokenExpiredError: Row(status=HTTPStatus.GONE, message="the pause is over: nobody answered in time"),
    AlreadyAnsweredError: Row(status=HTTPStatus.CONFLICT, message="the pause is settled"),
    CancelAskedError: Row(
        status=HTTPStatus.CONFLICT, message="the run was asked to stop before this answer came: it takes no more"
    ),
}
"""The nearest class of an exception counts."""

INTERNAL: Final = "internal"
"""The code of every exception that is none of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What a client is told instead of an answer. `details` stand beside code, message and reference in the body."""

    status: int
    code: str
    message: str
    reference: str
    headers: Mapping[str, str] = field(default_factory=empty)
    details: Mapping[str, Json] = field(default_factory=empty)

    @property
    def body(self) -> bytes:
        """JSON: `{code, message, reference}` and the details."""
        told = {"code": self.code, "message": self.message, "reference": self.reference}
        return json_bytes(FrozenDict({**self.details, **told}))

    def response(self) -> Response:
        """The whole answer, never kept by anybody on the way."""
        return Response(
            self.body,
            status_code=self.status,
            media_type="application/json",
            headers={**self.headers, "Cache-Control": "no-store"},
        )

    async def send(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a handshake with this. Nothing may have been sent before."""
        if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": self.code})
            return
        await self.response()(scope, receive, send)


def refusal(error: BaseException) -> Refusal:
    """What a client is told of an exception. It is logged for the operator under the same reference."""
    reference = f"e_{secrets.token_hex(8)}"
    told = _of_framework(error, reference) if isinstance(error, HTTPException) else _of_ours(error, reference)
    if told.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(error, StoppingError):
        _log.error("%s %s: refused with %d", reference, told.code, told.status, exc_info=error)
    else:
        _log.info("%s %s: refused with %d: %r", reference, told.code, told.status, str(error)[:MAX_MESSAGE_CHARS])
    return told


def row_of(kind: type[BaseException]) -> Row:
    """The row of a class of exceptions: its own, or that of the nearest class above it."""
    return next((ROWS[above] for above in kind.__mro__ if above in ROWS), _FAILED)


def _of_ours(error: BaseException, reference: str) -> Refusal:
    row = row_of(type(error))
    code = error.code if isinstance(error, TreadleError) and row is not _FAILED else INTERNAL
    return Refusal(
        status=row.status,
        code=code,
        message=_sayable(str(error)) if row.message is None else row.message,
        reference=reference,
        headers=_headers_of(error, row.status),
        details=_details_of(error),
    )


def _of_framework(error: HTTPException, reference: str) -> Refusal:
    """What Starlette, or a user's own `access`, refuses. Only the status is taken over, and the headers of its kind."""
    try:
        status = HTTPStatus(error.status_code)
    except ValueError:
        status = HTTPStatus.INTERNAL_SERVER_ERROR
    kept = {name: text for name, text in (error.headers or {}).items() if name.lower() in _FRAMEWORK_HEADERS}
    code = INTERNAL if status is HTTPStatus.INTERNAL_SERVER_ERROR else status.name.lower()
    message = _FRAMEWORK_WORDS.get(status, status.phrase.lower())
    return Refusal(status=status, code=code, message=message, reference=reference, headers=kept)


_FRAMEWORK_WORDS: Final[Mapping[HTTPStatus, str]] = {
    HTTPStatus.NOT_FOUND: "there is nothing at this path; /openapi.json says what there is",
    HTTPStatus.METHOD_NOT_ALLOWED: "this path does not take this method; `Allow` says which it takes",
    HTTPStatus.NOT_ACCEPTABLE: "events come as text/event-stream or as application/x-ndjson; `Accept` takes neither",
}
"""What helps more than the phrase of the status."""
_FRAMEWORK_HEADERS: Final = frozenset({"allow", "retry-after", "www-authenticate"})


def _headers_of(error: BaseException, status: HTTPStatus) -> Mapping[str, str]:
    if isinstance(error, UnauthenticatedError):
        return {"WWW-Authenticate": error.challenge}
    if isinstance(error, CapError) and error.retry_after_s is not None:
        return {"Retry-After": str(max(1, math.ceil(error.retry_after_s)))}
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        return {"Retry-After": "5"}
    return EMPTY


def _details_of(error: BaseException) -> Mapping[str, Json]:
    if isinstance(error, CursorError) and error.reset_to is not None:
        return {"reset_to": error.reset_to}
    if isinstance(error, BadRequestError) and error.pointer:
        return {"pointer": _sayable(error.pointer)}
    if isinstance(error, BadAnswerError):
        return {"problems": [_problem_json(one) for one in error.problems[:MOST_PROBLEMS]]}
    if isinstance(error, AlreadyAnsweredError) and error.taken:
        return {"taken": list(error.taken)}
    return EMPTY


def _problem_json(one: AnswerProblem) -> Json:
    named = None if one.interrupt_id is None else _sayable(one.interrupt_id)
    return FrozenDict({"position": one.position, "interrupt_id": named, "problem": _sayable(one.problem)})


def _sayable(text: str) -> str:
    """Text as it may go out: whole, on one line, not longer than anybody reads."""
    return "".join(sign if sign.isprintable() else " " for sign in whole_text(text[:MAX_MESSAGE_CHARS]))
