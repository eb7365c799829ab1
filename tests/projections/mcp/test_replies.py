"""What is said of the server and of its one tool."""

from __future__ import annotations

import pytest

from treadle.codec.json_schema import faults
from treadle.projections.mcp.replies import LONGEST_NAME, TTL_MS, discovered, initialized, tool_name, tools


@pytest.mark.requirement("MCP-tool")
@pytest.mark.parametrize(
    ("agent", "name"), [("calc", "calc"), ("my agent/é", "my_agent__"), ("x" * 200, "x" * LONGEST_NAME)]
)
def test_a_tool_is_called_as_its_agent_as_far_as_that_is_a_name(agent: str, name: str) -> None:
    """MCP: letters, digits, `_`, `-` and `.`, at most 128."""
    assert tool_name(agent) == name


@pytest.mark.requirement("MCP-tool")
def test_there_is_one_tool_that_takes_a_prompt() -> None:
    """Design 8: the agent as a tool."""
    (tool,) = tools("calc", {}, is_modern=True)["tools"]
    assert (tool["name"], tool["title"]) == ("calc", "calc")
    schema = tool["inputSchema"]
    assert faults({"prompt": "hi"}, schema) == ()
    assert faults({"prompt": "hi", "thread_id": "t"}, schema) == ()
    assert [bool(faults(one, schema)) for one in ({}, {"prompt": ""}, {"prompt": "hi", "more": 1})] == [True] * 3


@pytest.mark.requirement("MCP-eras")
def test_what_may_be_kept_says_so_where_each_request_stands_alone() -> None:
    """MCP 2026-07-28: `resultType` on every result, `ttlMs` and `cacheScope` on lists."""
    said = {"resultType": "complete", "ttlMs": TTL_MS, "cacheScope": "private"}
    for result in (tools("calc", {}, is_modern=True), discovered("calc", "1.0")):
        assert said.items() <= result.items()
    assert set(tools("calc", {}, is_modern=False)) == {"tools"}
    assert set(initialized("calc", "1.0", protocol="2025-11-25")) == {"protocolVersion", "capabilities", "serverInfo"}


@pytest.mark.requirement("MCP-tool")
def test_an_agent_that_declares_an_output_promises_it() -> None:
    """MCP: with an `outputSchema` clients hold the structure against it; its top says that it is an object."""
    declared = {"$ref": "#/$defs/P", "$defs": {"P": {"type": "object", "properties": {"x": {"type": "integer"}}}}}
    (tool,) = tools("calc", declared, is_modern=True)["tools"]
    assert tool["outputSchema"] == {"type": "object", **declared}
    assert "JSON" in tool["description"]
    (without,) = tools("calc", {}, is_modern=True)["tools"]
    assert "outputSchema" not in without
