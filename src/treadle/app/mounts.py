"""Where the name of a wire becomes its routes.

A wire's module is loaded when it is mounted, so nobody pays for one that they do not speak.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol, cast

from treadle.errors import PlanError
from treadle.server.mounting import Mount
from treadle.server.routes import ROUTES, Row
from treadle.values.exposure import Exposure


class _Wire(Protocol):
    """A module of `server/wires`."""

    EXPOSURE: Exposure

    def routes(self, mount: Mount, /) -> Sequence[Row]: ...


WIRES: Final[tuple[str, ...]] = ("a2a", "agui", "mcp", "openai", "vercel")
"""Every wire that a server can speak beside kernel events. By default it speaks them all."""


def routes_of(mounts: Sequence[str | Mount] | None) -> tuple[Row, ...]:
    """The routes of a server: its own, and those of what is mounted; None mounts every wire.

    Raises:
        PlanError: There is no such wire, or two routes have one path.
    """
    mounted = [
        mount if isinstance(mount, Mount) else Mount(wire=mount) for mount in (WIRES if mounts is None else mounts)
    ]
    routes: list[Row] = [*ROUTES]
    for mount in mounted:
        if mount.wire not in WIRES:
            raise PlanError((f"no wire is called {mount.wire!r}; expected one of {', '.join(WIRES)}",))
        wire = cast("_Wire", importlib.import_module(f"treadle.server.wires.{mount.wire}"))
        routes += wire.routes(mount if mount.exposure is not None else replace(mount, exposure=wire.EXPOSURE))
    taken = [(route.method, route.path) for route in routes]
    twice = sorted({f"{method} {path}" for method, path in taken if taken.count((method, path)) > 1})
    if twice:
        raise PlanError(tuple(f"two mounts stand at {one}; give one of them another path" for one in twice))
    return tuple(routes)
