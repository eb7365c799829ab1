"""Which version a message speaks: of sessions, or the one in which each request stands alone.

In: a message, and the headers that it came with. Out: what its envelope says; or a fault. The header decides, and then
header and body have to agree: what a proxy routes by is what is done.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Final

from treadle.projections.mcp.faults import Fault, McpFaultError
from treadle.projections.mcp.parse import Notification, Reply, Request, may_be_asked
from treadle.projections.mcp.wire import CLIENT_CAPABILITIES, HANDSHAKE, MODERN, PROTOCOL_VERSION

VERSION_HEADER: Final = "mcp-protocol-version"
METHOD_HEADER: Final = "mcp-method"
NAME_HEADER: Final = "mcp-name"
_ROUTING: Final = frozenset({VERSION_HEADER, METHOD_HEADER, NAME_HEADER})
_NAMED_BY: Final[Mapping[str, str]] = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that `Mcp-Name` repeats, by method."""
_WRAPPED: Final = re.compile(r"=\?base64\?(.*)\?=", re.ASCII)


def is_modern(said: Request | Notification | Reply, version_header: str | None) -> bool:
    """Whether a message is to be taken as one that stands alone."""
    if version_header is not None:
        return version_header not in HANDSHAKE
    return isinstance(said, Request) and PROTOCOL_VERSION in said.meta


def checked(request: Request, headers: Iterable[tuple[str, str]]) -> bool:
    """Check a request that stands alone, and say whether its client may be asked something.

    Args:
        headers: All there are, in small letters, as often as they came.
    Raises:
        McpFaultError: Its envelope is not whole, header and body say different things, or the version is not spoken.
    """
    found = _routing(headers)
    meta = request.meta
    lacking = [name for name in (PROTOCOL_VERSION, CLIENT_CAPABILITIES) if name not in meta]
    if lacking:
        raise McpFaultError(Fault.INVALID_PARAMS, f"expected in 'params._meta': {', '.join(lacking)}")
    version = meta[PROTOCOL_VERSION]
    if found.get(VERSION_HEADER) != version:
        raise _mismatch("MCP-Protocol-Version", PROTOCOL_VERSION)
    if found.get(METHOD_HEADER) != request.method:
        raise _mismatch("Mcp-Method", "method")
    named_by = _NAMED_BY.get(request.method)
    named = None if named_by is None else request.params.get(named_by)
    if named is not None and _unwrapped(found.get(NAME_HEADER)) != named:
        raise _mismatch("Mcp-Name", str(named_by))
    check_version(str(version))
    return may_be_asked(meta[CLIENT_CAPABILITIES])


def check_version(version: str) -> None:
    """Refuse a version that is not spoken.

    Raises:
        McpFaultError: It is none of ours; `data` says which are.
    """
    if version != MODERN:
        data = {"supported": [MODERN, *HANDSHAKE], "requested": version[:100]}
        raise McpFaultError(Fault.UNSUPPORTED_VERSION, "unsupported protocol version", data=data)


def agreed(wanted: str) -> str:
    """The version of a session whose client wants this one: that one, or the newest there is."""
    return wanted if wanted in HANDSHAKE else HANDSHAKE[0]


def _routing(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in headers:
        if name in _ROUTING:
            if name in found:
                raise McpFaultError(Fault.HEADER_MISMATCH, f"header {name!r} came twice")
            found[name] = value
    return found


def _mismatch(header: str, field: str) -> McpFaultError:
    return McpFaultError(Fault.HEADER_MISMATCH, f"header {header!r} does not say what {field!r} of the body says")


def _unwrapped(value: str | None) -> str | None:
    """The text of a header, which is wrapped where it is more than ASCII."""
    wrapped = None if value is None else _WRAPPED.fullmatch(value)
    if wrapped is None:
        return value
    try:
        decoded = base64.b64decode(wrapped[1], validate=True)
        return decoded.decode() if base64.b64encode(decoded).decode() == wrapped[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None
