"""The UI message stream over HTTP: what `useChat` posts to, comes back to, and stops.

A chat is a thread of the caller's scope, its id a name in it. A post starts a run or answers the one that waits; either
way its response tells the run as a message. A client that comes back is told the chat's newest run from its first
event. Leaving stops nothing: that is a request of its own.

Source: docs/protocols/vercel.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from treadle.errors import AlreadyAnsweredError, RunNotFoundError
from treadle.projections.vercel.parse import ChatBody, PageAnswers, UserSays, said_in
from treadle.projections.vercel.wire import DONE, PROTOCOL_HEADER, PROTOCOL_VERSION, broken
from treadle.server.access.admission import ReaderPlace
from treadle.server.access.failures import Refusal
from treadle.server.access.principal import Action
from treadle.server.answers import answer
from treadle.server.folded_feed import sse_framed
from treadle.server.mounting import Mount
from treadle.server.negotiation import flag_of
from treadle.server.routes import Route
from treadle.server.start_request import StartRequest, check_name, read_body
from treadle.server.starting import started
from treadle.server.visit import THREAD, Visit
from treadle.server.wires.streaming import agent_of, streamed, wire_form
from treadle.server.wires.vercel_answers import matched, nothing_said, refused
from treadle.server.wires.vercel_ends import Ends
from treadle.server.wires.vercel_telling import Begins, goes_on, no_token, response_telling
from treadle.values.exposure import UI, Exposure
from treadle.values.ids import InterruptId, RunId
from treadle.values.runs import LIVE_STATUSES, RunState, RunStatus

EXPOSURE: Final = UI
FORM: Final = wire_form(lambda code: sse_framed([broken(code), DONE]).encode())
HEADERS: Final = {PROTOCOL_HEADER: PROTOCOL_VERSION}
RESETS: Final = "reset_step"
"""The parameter by which a client says that it knows `reset-step`."""
NOTHING: Final = "run_not_found"


def routes(mount: Mount) -> Sequence[Route]:
    """What stands below the path of a mount."""
    chats = Chats(mount.exposure or EXPOSURE)
    agent = f"{mount.path}/{{agent}}"
    chat = f"{agent}/{{{THREAD}:path}}"
    return (
        Route(method="POST", path=agent, action=Action.START, endpoint=chats.post_message, refused=said_so),
        Route(method="GET", path=f"{chat}/stream", action=Action.READ, endpoint=chats.resume_message, refused=idle),
        Route(method="POST", path=f"{chat}/stop", action=Action.CANCEL, endpoint=chats.stop_message, refused=idle),
    )


async def said_so(_: Request, refusal: Refusal) -> Response:
    """A refusal as this client reads one: its text is the message of the error that a page is given."""
    text = f"{refusal.code}: {refusal.message} ({refusal.reference})"
    return PlainTextResponse(text, status_code=refusal.status, headers=dict(refusal.headers))


async def idle(request: Request, refusal: Refusal) -> Response:
    """The same, where a chat that nobody knows, or that is another scope's, is one in which nothing goes on."""
    return _nothing() if refusal.code == NOTHING else await said_so(request, refusal)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Who is to be told something of an agent's runs, and in which way. `resets`: it knows `reset-step`."""

    visit: Visit
    place: ReaderPlace
    agent: str
    resets: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """Answers that were taken in.

    Shape: `after` is the event that told the pauses. `goes_on`: none of them is open; `is_repeated`: all this was said
        before, and the run may be anywhere by now.
    """

    after: int
    answered: frozenset[InterruptId]
    goes_on: bool = False
    is_repeated: bool = False


class Chats:
    """The chats of one mount."""

    def __init__(self, exposure: Exposure) -> None:
        self._exposure = exposure
        self._ends = Ends()

    async def post_message(self, visit: Visit) -> Response:
        """Start a run with the newest message, or answer the one that waits, and tell it."""
        parts = visit.parts
        parts.check_open()
        agent, resets = agent_of(visit), flag_of(visit.request, RESETS)
        body = read_body(await parts.admission.body(visit.request), ChatBody)
        check_name("id", body.id)
        said = said_in(body)
        # A stream that has no room is refused before anything was started.
        with parts.admission.reader(visit.entry.principal) as place:
            reader = _Reader(visit=visit, place=place, agent=agent, resets=resets)
            if isinstance(said, PageAnswers):
                return await self._answer(reader, body.id, said)
            return await self._start(reader, body.id, said)

    async def resume_message(self, visit: Visit) -> Response:
        """Tell the newest run of a chat from its first event, as far as it goes on or its end may have been missed."""
        run, agent, resets = visit.about, agent_of(visit), flag_of(visit.request, RESETS)
        if run.agent != agent or (run.is_final and not self._ends.owes(run, ended_s=visit.runs.stood_s(run))):
            return _nothing()
        with visit.parts.admission.reader(visit.entry.principal) as place:
            reader = _Reader(visit=visit, place=place, agent=agent, resets=resets)
            return await self._told(reader, run.run_id, Begins(live_from=await _live_from(visit, run)))

    async def stop_message(self, visit: Visit) -> Response:
        """Ask the live run of a chat to stop. A page's own `stop` only closes its connection."""
        run = visit.about
        if run.agent != agent_of(visit) or run.status not in LIVE_STATUSES:
            return _nothing()
        principal = visit.entry.principal.name
        is_new = await visit.runs.cancel(run.run_id, reason="stopped by the user", principal=principal)
        return answer({"run_id": run.run_id, "accepted": is_new}, status=202)

    async def _start(self, reader: _Reader, chat: str, said: UserSays) -> Response:
        visit, salt = reader.visit, chat
        if said.again == "" and (newest := await _newest(visit, chat)) is not None:
            # Which answer it wants anew it does not say: it is the last that there is.
            salt = f"{chat} {newest.run_id}"
        asked = StartRequest(agent=reader.agent, prompt=said.text, thread_id=chat, key=said.key(salt))
        run = await started(visit, asked, attachments=said.attachments)
        live_from = 0 if run.is_new else await _live_from(visit, await visit.runs.state(run.run_id))
        return await self._told(reader, run.run_id, Begins(live_from=live_from))

    async def _answer(self, reader: _Reader, chat: str, said: PageAnswers) -> Response:
        visit = reader.visit
        run = await _newest(visit, chat)
        if run is None or run.agent != reader.agent:
            raise RunNotFoundError("no such run")
        visit.check(Action.ANSWER, run)
        heard = await _heard(visit, run.run_id, said)
        if heard.goes_on:
            return await self._told(reader, run.run_id, goes_on(heard.after, heard.answered))
        live_from = heard.after
        if heard.is_repeated:
            live_from = await _live_from(visit, await visit.runs.state(run.run_id))
        begins = Begins(after=heard.after, live_from=live_from, answered=heard.answered)
        return await self._told(reader, run.run_id, begins)

    async def _told(self, reader: _Reader, run_id: RunId, begins: Begins) -> Response:
        visit = reader.visit
        telling = response_telling(
            begins,
            token_of=visit.runs.token_of if visit.may_answer else no_token,
            asks=visit.runs.asking_tools(reader.agent),
            resets=reader.resets,
            exposure=self._exposure,
        )
        over = partial(self._ends.note, run_id)
        return await streamed(visit, run_id, telling=telling, form=FORM, place=reader.place, headers=HEADERS, over=over)


async def _heard(visit: Visit, run_id: RunId, said: PageAnswers) -> _Heard:
    pauses, principal = await visit.runs.all_pauses(run_id), visit.entry.principal.name
    shown, settled = pauses.open_as_shown(visit.runs.token_of), pauses.settled_as_shown(visit.runs.token_of)
    found = matched(said, shown, settled, was_heard=lambda one: pauses.has_heard([one], principal=principal))
    if found.stray:
        await visit.runs.answer(run_id, [refused(found.stray[0], shown)], principal=principal)
    is_repeated = not found.answers
    if found.stray or (is_repeated and not found.again):
        raise nothing_said(said, shown)
    goes_on = False
    if not is_repeated:
        try:
            goes_on = not (await visit.runs.answer(run_id, found.answers, principal=principal)).open
        except AlreadyAnsweredError:
            # The same post came twice at the same moment, and the other one was quicker.
            pauses = await visit.runs.all_pauses(run_id)
            if not pauses.has_heard(found.answers, principal=principal):
                raise
            is_repeated = True
    answered = frozenset(InterruptId(one.interrupt_id) for one in found.answers or found.again)
    after = max(pauses.shown_at[named] for named in answered)
    return _Heard(after=after, answered=answered, goes_on=goes_on, is_repeated=is_repeated)


async def _live_from(visit: Visit, run: RunState) -> int:
    """The first event that is not past for a reader who comes now: of a run that rests, its last."""
    if run.is_final or run.status is RunStatus.WAITING:
        return run.next_index - 1
    if await visit.runs.pauses(run.run_id):
        # It is looking at an answer to another pause, and will rest again.
        return (await visit.runs.state(run.run_id)).next_index - 1
    return run.next_index


async def _newest(visit: Visit, chat: str) -> RunState | None:
    return next(iter(await visit.runs.runs(thread_id=chat, limit=1)), None)


def _nothing() -> Response:
    return Response(status_code=204, headers={"cache-control": "no-store"})
