#!/usr/bin/env python3
"""Calls of an MCP tool through the official types, in one process: which messages they refuse.

  python verify_mcp.py < calls.jsonl > verdicts.jsonl

A line is {"version", "messages": [JSON texts]}: what one tools/call was told. Each is answered by one line:

  refused    why a message is none that a client of this version could be sent, with its number
  kinds      what each message is: progress, elicitation/create, cancelled, result, input_required, ...
"""

from __future__ import annotations

import json
import sys
from typing import Any

import mcp_types as types
from mcp_types import _v2025_11_25 as v2025
from mcp_types import _v2026_07_28 as v2026
from mcp_types.methods import (
    parse_server_notification,
    parse_server_request,
    parse_server_result,
    validate_server_result,
)
from pydantic import TypeAdapter

FIELDS = {version: TypeAdapter(page.PrimitiveSchemaDefinition) for version, page in (("2025", v2025), ("2026", v2026))}


def check_form(params: Any, version: str) -> None:
    """A form whose every field is one that clients draw; the types of messages do not look at fields."""
    form = types.ElicitRequestFormParams.model_validate(params, by_name=False)
    for name, field in form.requested_schema["properties"].items():
        FIELDS[version[:4]].validate_python(field, by_name=False)
        if set(field) - {"type", "title", "description", "default", "enum", "items", "minItems", "maxItems"} - BOUNDS:
            raise ValueError(f"field {name!r} says more than a field may: {field}")


BOUNDS = {"minLength", "maxLength", "minimum", "maximum", "format"}


def kind_of(text: str, version: str) -> str:
    """What a message is.

    Raises:
        Exception: It is none.
    """
    if len(text.encode()) > 1024 * 1024:
        raise ValueError("larger than the client reads")
    said = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    if isinstance(said, types.JSONRPCRequest):
        parse_server_request(said.method, version, said.params)
        check_form(said.params, version)
        return said.method
    if isinstance(said, types.JSONRPCNotification):
        parse_server_notification(said.method, version, said.params)
        return said.method
    if isinstance(said, types.JSONRPCError):
        return f"error {said.error.code}"
    validate_server_result("tools/call", version, said.result)
    result = parse_server_result("tools/call", version, said.result)
    if isinstance(result, types.InputRequiredResult):
        for request in (result.input_requests or {}).values():
            check_form(request.params.model_dump(by_alias=True, exclude_none=True), version)
    return result.result_type


def verdict_of(call: Any) -> dict[str, Any]:
    """What the types say of one call."""
    kinds: list[str] = []
    for number, text in enumerate(call["messages"]):
        try:
            kinds.append(kind_of(text, call["version"]))
        except Exception as error:  # noqa: BLE001 (whatever refuses it is the finding)
            return {"refused": f"{number}: {type(error).__name__}: {error}"[:600], "kinds": kinds}
    return {"refused": None, "kinds": kinds}


for line in sys.stdin:
    print(json.dumps(verdict_of(json.loads(line))))
