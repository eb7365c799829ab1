"""Names of wires to routes."""

from __future__ import annotations

import pytest

from treadle.app.mounts import WIRES, routes_of
from treadle.errors import PlanError
from treadle.server.mounting import Mount
from treadle.server.routes import ROUTES


def test_every_wire_is_mounted_at_its_name_where_nothing_is_said() -> None:
    """Issue: one log, read by the front ends people have."""
    paths = {route.path for route in routes_of(None)}
    for wire in WIRES:
        assert any(path.startswith(f"/{wire}") for path in paths), wire
    assert len(routes_of(())) == len(ROUTES)


def test_a_wire_that_is_none_is_refused_with_those_there_are() -> None:
    """Ours: what came, what is expected."""
    with pytest.raises(PlanError, match="'smoke'; expected one of"):
        routes_of(["smoke"])


def test_a_module_of_the_package_that_is_no_wire_is_none() -> None:
    """Ours: a name chooses from a table, it is no path to a module."""
    with pytest.raises(PlanError, match="no wire is called"):
        routes_of([Mount(wire="streaming")])
