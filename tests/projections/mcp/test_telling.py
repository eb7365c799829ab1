"""How a run is told to one call."""

from __future__ import annotations

import pytest

from tests.projections.mcp.hand import asking
from treadle.projections.mcp.telling import Telling, no_token
from treadle.projections.mcp.wire import HANDSHAKE, MODERN


@pytest.mark.requirement("MCP-eras")
def test_versions_differ_in_what_a_client_can_be_asked() -> None:
    """MCP 2025-06-18 has questions, MCP 2025-11-25 lists in forms, MCP 2026-07-28 calls that are made again."""
    told = {version: Telling(id_json="1", version=version, can_ask=True) for version in (MODERN, *HANDSHAKE)}
    assert [one.asks for one in told.values()] == [True, True, True, False, False]
    assert [one.with_lists for one in told.values()] == [True, True, False, False, False]
    assert [one.is_modern for one in told.values()] == [True, False, False, False, False]
    assert not Telling(id_json="1", version=MODERN).asks


def test_whoever_may_not_answer_gets_no_token() -> None:
    """Design 7: a token is for a reader who may answer."""
    assert no_token(asking()) is None
