"""What each route does, once whoever asks was let in.

In: a visit. Out: a response; what is refused is raised, and becomes a response in `application`.

Source: docs/server.md.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from treadle.errors import RunLiveError, RunNotFoundError
from treadle.runtime.scoped_runs import ScopedRuns
from treadle.server.access.tickets import LIFE_S
from treadle.server.answers import answer, started_json, state_json, thread_json, view_json
from treadle.server.delivery import Delivery
from treadle.server.metrics import CONTENT_TYPE
from treadle.server.negotiation import (
    count_of,
    cursor_of,
    flag_of,
    form_or_json,
    integers_of,
    one_of,
    state_of,
    stream_form,
    unit_of,
)
from treadle.server.start_request import cancel_request, start_request
from treadle.server.starting import started
from treadle.server.visit import THREAD, Visit
from treadle.values.ids import RunId
from treadle.values.runs import LIVE_STATUSES

LISTED: Final = 50
MAX_LISTED: Final = 500
DELETED: Final = 200
"""Runs of a thread that are looked at together while it is deleted."""


async def start_run(visit: Visit) -> Response:
    """Start a run, or join the one that this key began; answer with its name, or with its stream."""
    parts, request = visit.parts, visit.request
    parts.check_open()
    form, unit, integers = form_or_json(request), unit_of(request), integers_of(request)
    asked = start_request(await parts.admission.body(request), parts.agents)
    if form is None:
        run = await started(visit, asked)
        return answer(started_json(run), status=201 if run.is_new else 200, headers=_place(request, run.run_id))
    # A stream that has no room is refused before anything was started.
    with parts.admission.reader(visit.entry.principal) as place:
        run = await started(visit, asked)
        after = None if run.is_new else cursor_of(request)
        reading = await visit.runs.reading(run.run_id, after=after, to_end_of=unit)
        return Delivery(
            reading,
            form,
            form.telling(integers),
            shared=parts.delivering,
            held=place.keep(),
            still_allowed=visit.still_allowed(reading.state),
            headers=_place(request, run.run_id),
        )


async def read_events(visit: Visit) -> Response:
    """The events of a run after a cursor, live."""
    request, parts = visit.request, visit.parts
    form, integers, run_id = stream_form(request), integers_of(request), visit.about.run_id
    reading = await visit.runs.reading(run_id, after=cursor_of(request), to_end_of=unit_of(request))
    if reading.place >= 0 and await reading.is_over(reading.place, closed=False):
        # A browser's own reader comes back after every end, and stops for good at this.
        return Response(status_code=204, headers={"cache-control": "no-store"})
    with parts.admission.reader(visit.entry.principal) as place:
        return Delivery(
            reading,
            form,
            form.telling(integers),
            shared=parts.delivering,
            held=place.keep(),
            still_allowed=visit.still_allowed(reading.state),
        )


async def read_run(visit: Visit) -> Response:
    """A run at a glance."""
    view = await visit.runs.get(visit.about.run_id)
    return answer(view_json(view), integers=integers_of(visit.request))


async def cancel_run(visit: Visit) -> Response:
    """Ask a run to stop. It is over when its log says so; asking again changes nothing."""
    asked = cancel_request(await visit.parts.admission.body(visit.request))
    run_id = visit.about.run_id
    is_new = await visit.runs.cancel(run_id, reason=asked.reason, principal=visit.entry.principal.name)
    state = await visit.runs.state(run_id)
    told = {"run_id": run_id, "state": state.status.value, "accepted": is_new}
    return answer(told, status=200 if state.is_final else 202)


async def delete_run(visit: Visit) -> Response:
    """Delete a final run, or what it remembered and never showed."""
    facts_only = flag_of(visit.request, "facts_only")
    if not await visit.runs.delete(visit.about.run_id, facts_only=facts_only):
        raise RunNotFoundError("no such run")
    return Response(status_code=204)


async def list_runs(visit: Visit) -> Response:
    """Where runs stand, newest first, a page at a time."""
    request, limit = visit.request, count_of(visit.request, "limit", without=LISTED, most=MAX_LISTED)
    found = await visit.runs.runs(
        thread_id=one_of(request, "thread_id"),
        state=state_of(request),
        before=one_of(request, "before"),
        limit=limit + 1,
    )
    page = found[:limit]
    more = page[-1].run_id if len(found) > limit else None
    return answer({"runs": [state_json(state) for state in page], "next_before": more})


async def read_thread(visit: Visit) -> Response:
    """What was said in a thread, oldest run first: its newest runs, as many as are asked for."""
    limit = count_of(visit.request, "limit", without=LISTED, most=MAX_LISTED)
    thread_id = visit.request.path_params[THREAD]
    states = await visit.runs.runs(thread_id=thread_id, limit=limit)
    views = [await visit.runs.get(state.run_id) for state in reversed(states)]
    return answer(thread_json(thread_id, views), integers=integers_of(visit.request))


async def delete_thread(visit: Visit) -> Response:
    """Delete every run of a thread; none of them where one is live."""
    thread_id = visit.request.path_params[THREAD]
    await _refuse_live(visit.runs, thread_id)
    while page := await visit.runs.runs(thread_id=thread_id, limit=DELETED):
        for state in page:
            await visit.runs.delete(state.run_id)
    return Response(status_code=204)


async def issue_ticket(visit: Visit) -> Response:
    """A ticket for the events of a run, for a reader that can send no headers."""
    ticket = visit.parts.entrance.ticket(visit.entry, visit.about.run_id)
    return answer({"ticket": ticket, "expires_in_s": LIFE_S}, status=201)


async def list_agents(visit: Visit) -> Response:
    """Who may be asked."""
    return answer({"agents": [{"name": name} for name in visit.parts.agents]})


async def scrape(visit: Visit) -> Response:
    """What was counted, for Prometheus."""
    return Response(visit.parts.metrics.text(), headers={"content-type": CONTENT_TYPE, "cache-control": "no-store"})


async def _refuse_live(runs: ScopedRuns, thread_id: str) -> None:
    for status in LIVE_STATUSES:
        if await runs.runs(thread_id=thread_id, state=status, limit=1):
            raise RunLiveError(f"a run of thread {thread_id!r} is not final")


def _place(request: Request, run_id: RunId) -> dict[str, str]:
    """Where the run is found from now on."""
    return {"location": f"{request.scope.get('root_path', '')}/v1/runs/{run_id}"}
