"""Responses over HTTP: asked for, read again, and stopped.

In: a visit. Out: a stream of events, or a response. A response is one segment of a run. In the background it goes on
without a reader; else it is cancelled a little after its last one has left. It can be read again by its id, which is
found in its owner's scope alone.

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from treadle.codec.failure_words import failure_words
from treadle.codec.foreign import json_bytes, json_text
from treadle.errors import BadRequestError, RunNotFoundError
from treadle.projections.openai_responses.parse import ResponseRequest, ResponsesBody, Said, response_request
from treadle.projections.openai_responses.project import Options, ResponseRun
from treadle.projections.openai_responses.whole import WholeResponse
from treadle.projections.openai_responses.wire import Marks, ResponseId, marks_of, response_id
from treadle.runtime.said_in_text import answer_in_text
from treadle.runtime.scoped_runs import ASKED
from treadle.server.access.principal import Action
from treadle.server.folded_feed import FoldedTelling
from treadle.server.negotiation import flag_of, one_of
from treadle.server.start_request import StartRequest, read_body
from treadle.server.visit import Visit
from treadle.server.wires.openai_request import (
    LEAVES,
    NO_RETRY,
    STAYS,
    Begun,
    Reader,
    Word,
    agent_called,
    answer_pauses,
    begin,
    reader_of,
    shown_tokens,
    tells_losses,
)
from treadle.server.wires.streaming import LEFT_STATUS, collected, streamed, told_by_now, wire_form
from treadle.values.exposure import Exposure
from treadle.values.ids import RunId
from treadle.values.mappings import EMPTY
from treadle.values.pauses import Answer, Decision, PendingInterrupt
from treadle.values.runs import RunState, RunStatus

RESPONSE: Final = "response_id"
"""The name that stands in paths."""
KEPT: Final = "openai_response"
"""The property of a run that holds what its first request said of its responses."""
STOPPING_S: Final = 2.0
"""Seconds that whoever stops a response waits for its end. A run at work ends within one."""
_DIGITS: Final = 9
"""No response has more events than can be numbered with so many."""


def named_frames(payloads: Sequence[str]) -> str:
    """Each payload as an event that is called as its type is."""
    if not payloads:
        return ""
    # Nearly always all are of one type. No payload has a line end in it, so what is counted are their beginnings.
    name = _type_of(payloads[0])
    framed = _framed(name, payloads)
    if framed.count(f'\ndata: {_TYPE}{name}"') == len(payloads):
        return framed
    return "".join([_framed(_type_of(one), (one,)) for one in payloads])


def _framed(name: str, payloads: Sequence[str]) -> str:
    head = f"event: {name}\ndata: "
    return head + f"\n\n{head}".join(payloads) + "\n\n"


def _type_of(payload: str) -> str:
    return payload[len(_TYPE) : payload.index('"', len(_TYPE))]


_TYPE: Final = '{"type":"'


def _broken(code: str) -> bytes:
    # No event of the response, whose numbers this side does not know here: clients raise at it, and can come back.
    error = {"message": failure_words(code), "type": "server_error", "param": None, "code": code}
    return f"data: {json_text({'error': error})}\n\n".encode()


FORM: Final = wire_form(_broken)


def run_of(names: Mapping[str, str]) -> RunId | None:
    """The run whose segment the path names."""
    named = response_id(names[RESPONSE])
    return None if named is None else named.run_id


class Responses:
    """The responses of one mount."""

    def __init__(self, exposure: Exposure) -> None:
        self._exposure = exposure

    async def create_response(self, visit: Visit) -> Response:
        """Start a run with the newest message, or answer one that waits, and tell it as a response."""
        parts = visit.parts
        parts.check_open()
        asked = response_request(read_body(await parts.admission.body(visit.request), ResponsesBody))
        agent = agent_called(visit, asked.model)
        if not asked.stream:
            begun = await self._begun(visit, agent, asked)
            return await self._now(visit, begun) if asked.background else await self._whole(visit, begun)
        # A stream that has no room is refused before anything was started.
        with parts.admission.reader(visit.entry.principal) as place:
            begun = await self._begun(visit, agent, asked)
            return await streamed(
                visit,
                begun.run.run_id,
                telling=response_telling(self._options(visit, begun), self._exposure),
                form=FORM,
                place=place,
                headers=_headers(begun),
            )

    async def read_response(self, visit: Visit) -> Response:
        """A response as it stands, or its events behind a number."""
        request = visit.request
        begun = await self._named(visit, Action.READ)
        if not _marks(begun.run).store:
            raise RunNotFoundError("a response that is not stored")
        after = _number(one_of(request, "starting_after"))
        if not flag_of(request, "stream"):
            return await self._now(visit, begun)
        with visit.parts.admission.reader(visit.entry.principal) as place:
            options = replace(self._options(visit, begun), after=after)
            return await streamed(
                visit,
                begun.run.run_id,
                telling=response_telling(options, self._exposure),
                form=FORM,
                place=place,
                headers=_headers(begun),
            )

    async def cancel_response(self, visit: Visit) -> Response:
        """Ask the run of a response to stop, where that response is its last; tell how the response stands then."""
        begun = await self._named(visit, Action.CANCEL)
        if begun.segment == await _last_segment(visit, begun.run):
            principal = visit.entry.principal.name
            await visit.runs.cancel(begun.run.run_id, reason="stopped by the user", principal=principal)
            try:
                async with asyncio.timeout(STOPPING_S):
                    await visit.runs.wait(begun.run.run_id)
            except TimeoutError:
                pass  # It says that it goes on, which is the truth.
        return await self._now(visit, begun)

    async def _begun(self, visit: Visit, agent: str, asked: ResponseRequest) -> Begun:
        previous = None if asked.previous is None else await _existing(visit, response_id(asked.previous))
        if asked.answers:
            words = [_word(said) for said in asked.answers]
            run_id = None if previous is None else previous.run.run_id
            return await answer_pauses(visit, agent, words, exposure=self._exposure, run_id=run_id)
        if previous is not None:
            await _check_last(visit, previous)
        marks = Marks(previous=asked.previous, background=asked.background, store=asked.store, metadata=asked.metadata)
        start = StartRequest(
            agent=agent,
            prompt=asked.prompt,
            thread_id=None if previous is None else previous.run.thread_id,
            on_disconnect=STAYS if asked.background else LEAVES,
        )
        return await begin(visit, start, history=asked.history, properties={KEPT: marks.kept()})

    async def _named(self, visit: Visit, action: Action) -> Begun:
        visit.request.state.has_run = True
        return await _existing(visit, response_id(visit.request.path_params[RESPONSE]), action)

    async def _now(self, visit: Visit, begun: Begun) -> Response:
        """The response as it stands."""
        response = WholeResponse(begun.run.run_id, self._options(visit, begun))
        telling = FoldedTelling(begin=lambda *_: response, options=None, exposure=self._exposure)
        await told_by_now(visit, begun.run.run_id, telling)
        told = response.response
        if Action.READ not in visit.entry.principal.may:
            told["output"] = []  # Who may only stop it is told how it stands.
        return _answer(json_bytes(told), begun)

    async def _whole(self, visit: Visit, begun: Begun) -> Response:
        response = WholeResponse(begun.run.run_id, self._options(visit, begun))
        telling = FoldedTelling(begin=lambda *_: response, options=None, exposure=self._exposure)
        said = await collected(visit, begun.run.run_id, telling)
        if said is None:
            return Response(status_code=LEFT_STATUS)
        if (error := response.response["error"]) is None:
            return _answer("".join(said).encode(), begun)
        # Who asks for one answer looks at the status of HTTP alone: what failed is not to be taken for what is done.
        told = {**error, "type": "server_error", "param": None, "response_id": response.response["id"]}
        return _answer(json_bytes({"error": told}), begun, status=HTTPStatus.INTERNAL_SERVER_ERROR)

    def _options(self, visit: Visit, begun: Begun) -> Options:
        return response_options(begun, reader_of(visit), self._exposure)


def response_options(begun: Begun, reader: Reader, exposure: Exposure) -> Options:
    """How a segment is told to a reader as a response."""
    return Options(
        model=begun.run.agent,
        created=int(begun.run.created_s),
        segment=begun.segment,
        marks=_marks(begun.run),
        may_answer=reader.may_answer,
        tells_losses=tells_losses(exposure),
        token_of=shown_tokens(reader),
    )


def response_telling(options: Options, exposure: Exposure) -> FoldedTelling:
    """A segment as the events of a response."""
    return FoldedTelling(begin=ResponseRun, options=options, exposure=exposure, framed=named_frames)


async def _existing(visit: Visit, named: ResponseId | None, action: Action = Action.READ) -> Begun:
    """A response that there is, to whoever may do this to it.

    Raises:
        RunNotFoundError: It is none, or another scope's.
    """
    if named is None:
        raise RunNotFoundError("the id is none of a response")
    run = await visit.runs.state(named.run_id)
    visit.check(action, run)
    if named.segment > await _last_segment(visit, run):
        raise RunNotFoundError("the run has no such segment yet")
    return Begun(run=run, segment=named.segment)


async def _last_segment(visit: Visit, run: RunState) -> int:
    """The number of the segment that is under way, or that the run rests at."""
    view = await visit.runs.get(run.run_id)
    rests = run.is_final
    if run.status is RunStatus.WAITING:
        # Somebody who has answered a part of what it waits for has been told of the segment to come.
        rests = len(await visit.runs.pauses(run.run_id)) == len(view.pending)
    return max(1, view.segments if rests else view.segments + 1)


async def _check_last(visit: Visit, previous: Begun) -> None:
    """Refuse to go on from where a conversation went on already: it has no branches."""
    if not _marks(previous.run).store:
        raise RunNotFoundError("a response that is not stored")
    newest = await visit.runs.runs(thread_id=previous.run.thread_id, limit=1)
    is_newest = bool(newest) and newest[0].run_id == previous.run.run_id
    if not is_newest or previous.segment < await _last_segment(visit, previous.run):
        said = "the conversation went on from this response already, and is not gone on with from anywhere but its end"
        raise BadRequestError(said, pointer="/previous_response_id")


def _marks(run: RunState) -> Marks:
    return marks_of(run.properties.get(ASKED, EMPTY).get(KEPT, EMPTY))


def _word(said: Said) -> Word:
    if said.approves is None:
        in_text = partial(answer_in_text, text=said.text or "", token=said.token)
        return Word(token=said.token, pointer=said.pointer, answers=in_text)
    decision = Decision.APPROVE if said.approves else Decision.DENY

    def decided(pause: PendingInterrupt) -> Answer:
        reason = None if said.approves else said.reason
        return Answer(interrupt_id=pause.interrupt_id, token=said.token, decision=decision, reason=reason)

    return Word(token=said.token, pointer=said.pointer, answers=decided)


def _number(text: str | None) -> int:
    """The number of the last event that its reader has; -1 for none."""
    if text is None:
        return -1
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        said = f"'starting_after' is the number of an event, came {text[:40]!r}"
        raise BadRequestError(said, pointer="?starting_after")
    return int(text)


def _headers(begun: Begun) -> dict[str, str]:
    return {**NO_RETRY, "x-request-id": begun.run.run_id}


def _answer(body: bytes, begun: Begun, *, status: int = HTTPStatus.OK) -> Response:
    headers = {**_headers(begun), "cache-control": "no-store"}
    return Response(body, status_code=status, media_type="application/json", headers=headers)
