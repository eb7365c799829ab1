"""What goes wrong with a message, in the words of JSON-RPC and of MCP.

In: a fault and a sentence. Out: the body of an error, and its HTTP status. Knows nothing of what raised it.

Shape: where each request stands alone, the status says what kind of error it is; in a session an error is an answer
    like any other, since 404 is said of sessions that are over.

Source: docs/protocols/mcp.md; JSON-RPC 2.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from treadle.codec.foreign import json_text
from treadle.errors import BadRequestError
from treadle.framing.surrogates import whole_text
from treadle.values.mappings import EMPTY, Json


class Fault(IntEnum):
    """The kinds of faults, by their codes."""

    PARSE = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL = -32603
    HEADER_MISMATCH = -32020
    UNSUPPORTED_VERSION = -32022
    REFUSED = -32010
    """By this server, for a reason that is none of the protocol's: `data` names it."""


MODERN_STATUS: Final[Mapping[Fault, int]] = {
    Fault.PARSE: 400,
    Fault.INVALID_REQUEST: 400,
    Fault.METHOD_NOT_FOUND: 404,
    Fault.INVALID_PARAMS: 400,
    Fault.HEADER_MISMATCH: 400,
    Fault.UNSUPPORTED_VERSION: 400,
    Fault.INTERNAL: 200,
    Fault.REFUSED: 200,
}
"""The status of an error where each request stands alone."""
_IN_SESSION: Final[Mapping[Fault, int]] = {
    Fault.PARSE: 400,
    Fault.INVALID_REQUEST: 400,
    Fault.HEADER_MISMATCH: 400,
    Fault.UNSUPPORTED_VERSION: 400,
}
OK: Final = 200


class McpFaultError(BadRequestError):
    """A client sent what MCP forbids, or asks for what is not there. `fault` says what of it, `data` more of it."""

    code = "mcp_fault"

    def __init__(self, fault: Fault, text: str, *, data: Mapping[str, Json] = EMPTY, status: int | None = None) -> None:
        super().__init__(text)
        self.fault = fault
        self.data = data
        self._status = status

    def status(self, *, is_modern: bool) -> int:
        """The HTTP status that goes with it."""
        if self._status is not None:
            return self._status
        return (MODERN_STATUS if is_modern else _IN_SESSION).get(self.fault, OK)


def error(id_json: str, fault: Fault, text: str, *, data: Mapping[str, Json] = EMPTY) -> str:
    """An answer that says what is wrong. Its id is JSON already: `null` where none could be read."""
    told: dict[str, Json] = {"code": int(fault), "message": whole_text(text)}
    if data:
        told["data"] = dict(data)
    return f'{{"jsonrpc":"2.0","id":{id_json},"error":{json_text(told)}}}'
