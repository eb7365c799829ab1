"""The table of routes: what stands where, what it is as far as access is concerned, and who answers.

Every row has an action, so whoever calls is asked about it; or none, where only the body says what is asked for: then
the endpoint asks, before it does anything. Open to everybody are what a wire has to say to strangers, and the paths in
`application` that say nothing which depends on anybody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from treadle.server import endpoints, pause_endpoints
from treadle.server.access.failures import Refusal, refusal
from treadle.server.access.principal import Action
from treadle.server.parts import ServerParts
from treadle.server.visit import Visit, let_in
from treadle.values.ids import RunId

Endpoint: TypeAlias = Callable[[Visit], Awaitable[Response]]
Refused: TypeAlias = Callable[[Request, Refusal], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row.

    Shape: without an `action` whoever is known is let in, and the endpoint authorizes. `takes_ticket`: a ticket in the
        address does, in place of a header. `refused` says a refusal in the words of a protocol; without it, it is said
        in ours. `run_of` gives the run that the path names in a protocol's own way, None where it names none; without
        it, the path names a run or a thread by its id, or nothing.
    """

    method: str
    path: str
    action: Action | None
    endpoint: Endpoint
    takes_ticket: bool = False
    refused: Refused | None = None
    run_of: Callable[[Mapping[str, str]], RunId | None] | None = None

    @property
    def name(self) -> str:
        """What the operation is called."""
        return self.endpoint.__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRoute:
    """One row that is open to everybody."""

    method: str
    path: str
    endpoint: Callable[[ServerParts, Request], Awaitable[Response]]


Row: TypeAlias = Route | OpenRoute

ROUTES: Final = (
    Route(method="POST", path="/v1/runs", action=Action.START, endpoint=endpoints.start_run),
    Route(method="GET", path="/v1/runs", action=Action.LIST, endpoint=endpoints.list_runs),
    Route(method="GET", path="/v1/runs/{run_id}", action=Action.READ, endpoint=endpoints.read_run),
    Route(method="DELETE", path="/v1/runs/{run_id}", action=Action.DELETE, endpoint=endpoints.delete_run),
    Route(
        method="GET",
        path="/v1/runs/{run_id}/events",
        action=Action.READ,
        endpoint=endpoints.read_events,
        takes_ticket=True,
    ),
    Route(method="POST", path="/v1/runs/{run_id}/cancel", action=Action.CANCEL, endpoint=endpoints.cancel_run),
    Route(method="GET", path="/v1/runs/{run_id}/pauses", action=Action.ANSWER, endpoint=pause_endpoints.read_pauses),
    Route(
        method="POST", path="/v1/runs/{run_id}/answers", action=Action.ANSWER, endpoint=pause_endpoints.answer_pauses
    ),
    Route(method="POST", path="/v1/runs/{run_id}/ticket", action=Action.READ, endpoint=endpoints.issue_ticket),
    Route(method="GET", path="/v1/threads/{thread_id}", action=Action.READ, endpoint=endpoints.read_thread),
    Route(method="DELETE", path="/v1/threads/{thread_id}", action=Action.DELETE, endpoint=endpoints.delete_thread),
    Route(method="GET", path="/v1/agents", action=Action.AGENTS, endpoint=endpoints.list_agents),
    Route(method="GET", path="/metrics", action=Action.METRICS, endpoint=endpoints.scrape),
)


def answering(row: Row, parts: ServerParts) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a row, behind the one door that there is, if it is not open."""
    if isinstance(row, OpenRoute):
        return partial(row.endpoint, parts)
    return _guarded(row, parts)


def _guarded(route: Route, parts: ServerParts) -> Callable[[Request], Awaitable[Response]]:
    async def answered(request: Request) -> Response:
        visit = await let_in(parts, request, route.action, takes_ticket=route.takes_ticket, run_of=route.run_of)
        return await route.endpoint(visit)

    async def answered_in_its_words(request: Request) -> Response:
        assert route.refused is not None
        try:
            return await answered(request)
        except Exception as error:  # noqa: BLE001 (the border of a request: each exception has its refusal)
            said = refusal(error)
            parts.metrics.refusals.labels(said.code).inc()
            return await route.refused(request, said)

    return answered if route.refused is None else answered_in_its_words
