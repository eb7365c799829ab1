"""Agents over HTTP: a runner and the routes to it, as one ASGI application.

Source: docs/server.md.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Final, Protocol, Self, runtime_checkable

from starlette.types import ASGIApp

from treadle.adapters.system import SystemClock
from treadle.app.agent import Agent
from treadle.app.application_life import ApplicationLife
from treadle.app.mounts import routes_of
from treadle.app.runner import Runner
from treadle.errors import PlanError, StoppingError
from treadle.ports.observer import RunObserver
from treadle.ports.store import Store
from treadle.runtime.scoped_runs import ScopedRuns
from treadle.server.access.admission import Admission, Caps
from treadle.server.access.anonymous import Anonymous
from treadle.server.access.entrance import Access, Entrance
from treadle.server.access.exposure import check_exposed
from treadle.server.access.hosts import ANY_HOST
from treadle.server.access.log_growth import LogGrowth
from treadle.server.access.sites import Sites
from treadle.server.application import application
from treadle.server.delivery import Delivering, Ending
from treadle.server.errands import Errands
from treadle.server.feeds import Feeds
from treadle.server.metrics import EndsCounted, Metrics
from treadle.server.mounting import Mount
from treadle.server.owner import Owner
from treadle.server.parts import ServerParts
from treadle.server.pulse import Pulse, Rhythm

TOO_LARGE: Final = "log_too_large"
"""The reason with which a run is cancelled whose log is larger than it may be."""
LAST_ERRANDS_S: Final = 3.0
"""Seconds that what is still to be sent has when the runs have drained."""


@runtime_checkable
class Findable(Protocol):
    """A store that tells commands of this machine where its owner serves it."""

    def serves_at(self, url: str | None, *, token: str | None = None) -> None:
        """Say where, and what is to be shown there."""
        ...


class Server:
    """Agents behind HTTP. `asgi` is the application, to be served by itself or mounted in another one.

    Shape: `access` says who asks: `ApiKeys`, `BearerJwt`, a function of one's own; without it nobody is asked, and the
    server answers this machine alone. `sites` say for which names it answers and whose pages may call. `mounts` are the
    wires it speaks beside kernel events, by name or as `Mount`: every one, each at its own path. `store`, `observers`
    are those of a `Runner`. `caps` say how much it takes in, `rhythm` how long what takes.

    Raises:
        PlanError: There are no agents, or two have one name; no such wire, or two at one path.
        UnguardedError: Nobody is asked who they are, and every site's pages may call.
    """

    def __init__(  # noqa: PLR0913 (one for each thing it is made of)
        self,
        agents: Sequence[Agent],
        *,
        store: str | Store = "memory://",
        mounts: Sequence[str | Mount] | None = None,
        access: Access | None = None,
        caps: Caps | None = None,
        sites: Sites | None = None,
        observers: Sequence[RunObserver] = (),
        rhythm: Rhythm | None = None,
    ) -> None:
        if not agents:
            raise PlanError(("a server needs at least one agent, came none",))
        known = sites or Sites()
        check_exposed("127.0.0.1", access, origins=known.origins)
        self.access = access
        times = rhythm or Rhythm()
        self._clock = SystemClock()
        self._admission = Admission(caps or Caps(), self._clock)
        self._metrics = Metrics(readers=lambda: self._admission.readers, live_runs=lambda: self._runner.at_work)
        growth = LogGrowth(self._admission, lambda run_id: self._runner.stop_at_work(run_id, TOO_LARGE))
        watchers: tuple[RunObserver, ...] = (growth, EndsCounted(self._metrics), *observers)
        self._runner = Runner(agents, store=store, drain_s=times.drain_s, observers=watchers)
        self._pulse = Pulse(times)
        self._entered = False
        self._stopping = False
        self._owner = Owner()
        self._errands = Errands()
        asks_nobody = access is None or isinstance(access, Anonymous)
        app = application(
            ServerParts(
                within=self._within,
                agents=tuple(agent.name for agent in agents),
                entrance=Entrance(access, clock=self._clock),
                admission=self._admission,
                delivering=Delivering(feeds=Feeds(), pulse=self._pulse, ended=self._ended),
                metrics=self._metrics,
                check_open=self._check_open,
                clock=self._clock,
                errands=self._errands,
                public_url=known.public_url,
            ),
            routes=routes_of(mounts),
            owner=self._owner,
            hosts=known.hosts if asks_nobody or known.hosts is not None else (ANY_HOST,),
            origins=known.origins,
        )
        self._asgi = ApplicationLife(app, self)

    @property
    def asgi(self) -> ASGIApp:
        """The application. It starts with its lifespan, or else with its first request."""
        return self._asgi

    @property
    def is_entered(self) -> bool:
        """Whether it works, or is about to stop."""
        return self._entered or self._stopping

    @property
    def metrics(self) -> Metrics:
        """What it counts."""
        return self._metrics

    @property
    def readers(self) -> int:
        """How many streams are open now."""
        return self._admission.readers

    @property
    def runner(self) -> Runner:
        """The runner behind it, while it is entered."""
        return self._runner

    async def __aenter__(self) -> Self:
        await self._runner.__aenter__()
        self._pulse.begin()
        self._entered, self._stopping = True, False
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.drain()
        finally:
            self._owner.close()
            self._entered = self._stopping = False
            await self._runner.__aexit__(kind, error, trace)

    @asynccontextmanager
    async def lifespan(self, _: Any = None) -> AsyncGenerator[None, None]:  # noqa: ANN401 (any application)
        """The time of an application that this one is mounted in: `FastAPI(lifespan=server.lifespan)`."""
        async with self:
            yield

    def serves_at(self, url: str) -> None:
        """Let commands on this machine come in at this address, where the store tells them of it.

        Raises:
            StateError: It is not entered.
        """
        store = self._runner.store
        if isinstance(store, Findable):
            store.serves_at(url, token=self._owner.open(store, self._runner.look))

    async def drain(self) -> None:
        """Take no new work, let live runs end for `drain_s` seconds, then end the streams. Leaving does it by itself.

        Whoever reads a run that did not end comes back to the next process that works on it.
        """
        self._stopping = True
        if self._entered:
            await self._runner.drain()
            await self._pulse.end_all()
            await self._errands.end(grace_s=LAST_ERRANDS_S)

    def _within(self, scope: str) -> ScopedRuns:
        return self._runner.within(scope)

    def _check_open(self) -> None:
        if self._stopping or not self._entered:
            raise StoppingError("this server is about to stop and takes no new work")

    def _ended(self, ending: Ending) -> None:
        self._metrics.streams_ended.labels(ending.value).inc()
