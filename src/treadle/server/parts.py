"""What the endpoints of one server share."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from treadle.ports.clock import Clock
from treadle.runtime.scoped_runs import ScopedRuns
from treadle.server.access.admission import Admission
from treadle.server.access.entrance import Entrance
from treadle.server.delivery import Delivering
from treadle.server.errands import Errands
from treadle.server.metrics import Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerParts:
    """The parts of a server.

    Shape: `within` gives the runs of a scope; `agents` are the names that may be asked. `check_open` refuses new work
    where the server is about to stop, or has not started. `errands` owns what outlives a request. `public_url` is where
    others reach its application, where that was said.
    """

    within: Callable[[str], ScopedRuns]
    agents: Collection[str]
    entrance: Entrance
    admission: Admission
    delivering: Delivering
    metrics: Metrics
    check_open: Callable[[], None]
    clock: Clock
    errands: Errands
    public_url: str | None = None
