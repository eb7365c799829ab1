"""Refusals in the words of MCP: an error of JSON-RPC, under the id of the request where that was read.

In: what a client is told of an exception, and what was known of its message by then. Out: a response.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

from functools import wraps
from http import HTTPStatus
from typing import Final, Self

from starlette.requests import Request
from starlette.responses import Response

from treadle.projections.mcp.faults import Fault, McpFaultError, error
from treadle.server.access.failures import INTERNAL, Refusal
from treadle.server.routes import Endpoint
from treadle.server.visit import Visit
from treadle.server.wires.mcp_telling import said_once
from treadle.values.mappings import Json

_OF_THE_REQUEST: Final = frozenset(
    {
        "already_answered",
        "bad_answer",
        "bad_cursor",
        "bad_request",
        "cancel_asked",
        "pause_not_found",
        "run_final",
        "run_not_found",
        "token_expired",
        "token_invalid",
    }
)
"""Codes that say that what a request names, or says, is not so. In a session, 404 would say that it is over."""


class Envelope:
    """What is known of the message that is being answered. One goes with each request."""

    def __init__(self) -> None:
        self.id_json = "null"
        self.is_modern = False
        self.fault: McpFaultError | None = None

    @classmethod
    def of(cls, request: Request) -> Self:
        """That of this request."""
        if not hasattr(request.state, "mcp_envelope"):
            request.state.mcp_envelope = cls()
        envelope: Self = request.state.mcp_envelope
        return envelope


def known(endpoint: Endpoint) -> Endpoint:
    """An endpoint whose faults are known to `refused`, which is told of an exception no more than anybody is."""

    @wraps(endpoint)
    async def answered(visit: Visit) -> Response:
        try:
            return await endpoint(visit)
        except McpFaultError as wrong:
            Envelope.of(visit.request).fault = wrong
            raise

    return answered


async def refused(request: Request, said: Refusal) -> Response:
    """A refusal as this client reads one."""
    envelope = Envelope.of(request)
    if (wrong := envelope.fault) is not None:
        payload = error(envelope.id_json, wrong.fault, said.message, data=wrong.data)
        return said_once(payload, status=wrong.status(is_modern=envelope.is_modern))
    data: dict[str, Json] = {**said.details, "code": said.code, "reference": said.reference}
    fault, status = _fault_of(said)
    return said_once(error(envelope.id_json, fault, said.message, data=data), status=status, headers=said.headers)


def _fault_of(said: Refusal) -> tuple[Fault, int]:
    if said.code in _OF_THE_REQUEST:
        return Fault.INVALID_PARAMS, HTTPStatus.BAD_REQUEST
    return Fault.INTERNAL if said.code == INTERNAL else Fault.REFUSED, said.status
