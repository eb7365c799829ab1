"""A mount of A2A."""

from __future__ import annotations

import pytest

from tests.runtime.agents import scripted
from treadle.app.server import Server
from treadle.errors import PlanError
from treadle.projections.a2a.card import CardFacts
from treadle.server.mounting import Mount
from treadle.server.wires.a2a import EXPOSURE, A2aSettings, routes
from treadle.server.wires.a2a.mounted import Mounted
from treadle.server.wires.a2a.push import Pushes
from treadle.values.exposure import OPAQUE


def test_a_mount_has_the_routes_of_its_path() -> None:
    """ADR 0034: a wire is mounted at a path, by default at `/a2a`, and says what other agents may know."""
    paths = {row.path for row in routes(Mount(wire="a2a", path="/elsewhere"))}
    assert "/elsewhere/{agent}" in paths
    assert "/elsewhere/{agent}/.well-known/agent-card.json" in paths
    assert all(path.startswith("/elsewhere/{agent}") for path in paths)
    assert EXPOSURE is OPAQUE
    where = Mounted(path="/a2a", exposure=OPAQUE, settings=A2aSettings(), pushes=Pushes(None))
    assert where.agent_path == "/a2a/{agent}"


def test_settings_of_another_wire_are_refused() -> None:
    """Ours: a mount says what it takes before it serves anybody."""
    assert routes(Mount(wire="a2a", settings=A2aSettings(cards={"a": CardFacts(description="Adds.")})))
    with pytest.raises(PlanError, match="A2aSettings"):
        Server([scripted("text: ok")], mounts=[Mount(wire="a2a", settings={"push": True})])
