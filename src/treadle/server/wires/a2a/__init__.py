"""Runs as tasks of A2A: over JSON-RPC and over paths, in versions 1.0 and 0.3, and a card that says so.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

from typing import Final

from treadle.errors import PlanError
from treadle.server.mounting import Mount
from treadle.server.routes import Row
from treadle.server.wires.a2a.card import card_routes
from treadle.server.wires.a2a.mounted import Mounted
from treadle.server.wires.a2a.paths import path_routes
from treadle.server.wires.a2a.push import Pushes
from treadle.server.wires.a2a.rpc import rpc_routes
from treadle.server.wires.a2a.settings import A2aSettings
from treadle.values.exposure import OPAQUE

EXPOSURE: Final = OPAQUE

__all__ = ["EXPOSURE", "A2aSettings", "routes"]


def routes(mount: Mount) -> tuple[Row, ...]:
    """The routes of a mount.

    Raises:
        PlanError: Its settings are those of another wire.
    """
    settings = A2aSettings() if mount.settings is None else mount.settings
    if not isinstance(settings, A2aSettings):
        raise PlanError((f"a mount of 'a2a' takes A2aSettings, not {type(settings).__name__}",))
    exposure = EXPOSURE if mount.exposure is None else mount.exposure
    mounted = Mounted(path=mount.path, exposure=exposure, settings=settings, pushes=Pushes(settings.push))
    # The most particular path first: the id of a task has no colon, and a path with one names something else.
    return (*card_routes(mounted), *rpc_routes(mounted), *path_routes(mounted))
