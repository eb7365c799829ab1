"""The columns of MCP."""

from __future__ import annotations

from treadle.cli.conformance.wires.mcp import WIRE


def test_both_eras_are_tried() -> None:
    """Design: both eras of MCP are spoken."""
    assert [(client.name, client.words[1]) for client in WIRE.clients] == [
        ("2026-07-28", "2026-07-28"),
        ("2025-11-25", "legacy"),
    ]
