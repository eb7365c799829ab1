"""How a wire answers: with a stream that goes on as its run does, or with one body when that has come to its end.

In: a run, and how it is told. Out: a response, or payloads. Either way whoever waits is a reader of the run, and what
their leaving means is the run's own rule.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from treadle.errors import AgentNotFoundError, StoppingError
from treadle.framing.sse import encode_comment
from treadle.runtime.run_reading import RunReading
from treadle.server.access.admission import ReaderPlace
from treadle.server.delivery import Delivery, Form, gone
from treadle.server.feeds import PAGE
from treadle.server.folded_feed import FIRST, FoldedTelling
from treadle.server.visit import Visit
from treadle.values.ids import RunId

AGENT = "agent"
"""The name that stands in paths."""
LEFT_STATUS = 499
"""Of an answer that nobody is there to hear: never seen, but by whoever reads logs."""


def wire_form(broken: Callable[[str], bytes]) -> Form:
    """An event stream as protocols have it: comments in silence, no ids, and a last word where this side ends it."""
    return Form(
        media_type="text/event-stream", early=encode_comment("treadle"), heartbeat=encode_comment(), broken=broken
    )


def agent_of(visit: Visit) -> str:
    """The agent that the path names.

    Raises:
        AgentNotFoundError: There is none of this name.
    """
    return known_agent(visit, visit.request.path_params[AGENT])


def known_agent(visit: Visit, name: str) -> str:
    """An agent that is served here.

    Raises:
        AgentNotFoundError: There is none of this name.
    """
    if name not in visit.parts.agents:
        raise AgentNotFoundError(f"no agent is called {name[:256]!r}; GET /v1/agents names those there are")
    return name


async def streamed(  # noqa: PLR0913 (one for each thing it is made of)
    visit: Visit,
    run_id: RunId,
    *,
    telling: FoldedTelling,
    form: Form,
    place: ReaderPlace,
    headers: Mapping[str, str] | None = None,
    over: Callable[[int], None] | None = None,
) -> Delivery:
    """A stream of a run. Taken before a run is started, `place` refuses a reader too many while nothing has begun.

    Args:
        over: Is told how far the reader has come, when the stream is over.
    Raises:
        RunNotFoundError: No such run in the caller's scope.
    """
    reading = await visit.runs.reading(run_id)
    return Delivery(
        reading,
        form,
        telling,
        shared=visit.parts.delivering,
        held=place.keep(),
        still_allowed=visit.still_allowed(reading.state),
        headers=headers,
        over=over,
    )


async def collected(visit: Visit, run_id: RunId, telling: FoldedTelling) -> list[str] | None:
    """All payloads of a run's response, once that has come to its end; None where the client did not wait for it.

    Raises:
        RunNotFoundError: No such run in the caller's scope.
        StoppingError: The server stops before.
    """
    reading = await visit.runs.reading(run_id)
    pulse = visit.parts.delivering.pulse
    async with reading:
        work = asyncio.create_task(_all(reading, telling), name="treadle collecting")
        leaving = asyncio.create_task(gone(visit.request.receive), name="treadle listening")
        waiting = _Waiting(work)
        pulse.add(waiting)
        try:
            await asyncio.wait((work, leaving), return_when=asyncio.FIRST_COMPLETED)
            if waiting.is_stopped:
                raise StoppingError("this server stops; the run goes on, and can be read when it is back")
            if not work.done():
                return None
            return await work
        finally:
            pulse.remove(waiting)
            work.cancel()
            leaving.cancel()
            await asyncio.wait((work, leaving))


async def told_by_now(visit: Visit, run_id: RunId, telling: FoldedTelling) -> None:
    """Give a projection all that is stored of a run by now, as far as it goes. Who looks at a run does not read it.

    Raises:
        RunNotFoundError: No such run in the caller's scope.
    """
    reading, fold = await visit.runs.reading(run_id), telling.fold(run_id)
    at = FIRST - 1
    while fold.at > at:
        at = fold.at
        for stretch in await reading.after(at, limit=PAGE):
            while fold.at < stretch.index + stretch.events - 1:
                fold.payloads(stretch)


class _Waiting:
    """One who waits, as the pulse knows it: nothing is sent before the end. See `Beating`."""

    sent = 0
    is_sending = False

    def __init__(self, work: asyncio.Task[list[str]]) -> None:
        self._work = work
        self.is_stopped = False

    def beat(self) -> None:
        """Nothing can be said in the meantime."""

    def freeze(self) -> None:
        """Nothing is under way."""

    def recheck(self) -> None:
        """Whoever was allowed when they asked is answered."""

    def stop(self) -> None:
        """Wait no longer."""
        self.is_stopped = True
        self._work.cancel()


async def _all(reading: RunReading, telling: FoldedTelling) -> list[str]:
    fold = telling.fold(reading.state.run_id)
    said: list[str] = []
    while True:
        before = fold.at
        for stretch in await reading.after(fold.at, limit=PAGE):
            while not fold.is_over and fold.at < stretch.index + stretch.events - 1:
                said += fold.payloads(stretch)
        if fold.is_over or (fold.at == before and await reading.is_over(fold.at, closed=False)):
            reading.at_end = True
            return said
        if fold.at == before:
            await reading.more(fold.at)
