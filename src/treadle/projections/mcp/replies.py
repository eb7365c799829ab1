"""What is said of the server and of its one tool.

In: an agent's name. Out: results, in JSON terms.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from treadle.codec.foreign import json_terms
from treadle.projections.mcp.wire import HANDSHAKE, MODERN, SERVER_INFO
from treadle.values.mappings import Json

TTL_MS: Final = 300_000
"""For how long a client may keep what is said of the tool."""
LONGEST_NAME: Final = 128

_NO_SIGN: Final = re.compile(r"[^A-Za-z0-9_.-]")
_CAPABILITIES: Final[dict[str, Json]] = {"tools": {}}


def tool_name(agent: str) -> str:
    """The name of an agent's tool: its own, where every sign of that may stand in one."""
    return _NO_SIGN.sub("_", agent)[:LONGEST_NAME]


def discovered(agent: str, version: str) -> dict[str, Json]:
    """What a client that keeps no session is told first."""
    return {
        **_cacheable(),
        "supportedVersions": [MODERN, *HANDSHAKE],
        "capabilities": _CAPABILITIES,
        "_meta": {SERVER_INFO: _info(agent, version)},
    }


def initialized(agent: str, version: str, *, protocol: str) -> dict[str, Json]:
    """What opens a session."""
    return {"protocolVersion": protocol, "capabilities": _CAPABILITIES, "serverInfo": _info(agent, version)}


def tools(agent: str, output: Mapping[str, Any], *, is_modern: bool) -> dict[str, Json]:
    """The one tool there is. `output` is the schema of what its agent's answers are read into, empty for text."""
    return {**(_cacheable() if is_modern else {}), "tools": [_tool(agent, output)]}


def _cacheable() -> dict[str, Json]:
    return {"resultType": "complete", "ttlMs": TTL_MS, "cacheScope": "private"}


def _info(agent: str, version: str) -> dict[str, Json]:
    return {"name": tool_name(agent), "title": agent, "version": version}


def _tool(agent: str, output: Mapping[str, Any]) -> dict[str, Json]:
    properties = {
        "prompt": {"type": "string", "minLength": 1, "description": "What the agent is asked, in plain words."},
        "thread_id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 256,
            "description": "A name of yours for a conversation: calls with the same name go on in it. "
            "Without one, the call begins a conversation of its own.",
        },
    }
    # A schema may say by a reference that it is of an object, and clients look at its top.
    declared = {"outputSchema": {"type": "object", **json_terms(output)}} if output else {}
    return {
        **declared,
        "name": tool_name(agent),
        "title": agent,
        "description": f"Ask the agent {agent!r}, which answers in {'JSON' if output else 'text'}.",
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": ["prompt"],
            "additionalProperties": False,
        },
    }
