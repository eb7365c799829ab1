"""Chat completions over HTTP: a message starts a run, results of calls answer one, and either is told as a completion.

In: a visit. Out: a stream of chunks, or one completion. A completion that nobody reads any more is a run that nobody
wants: it is cancelled a little later.

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from starlette.responses import Response

from treadle.codec.failure_words import CANCELLED, DECISION_DUE
from treadle.projections.openai_chat.parse import ChatBody, ChatRequest, Said, chat_request
from treadle.projections.openai_chat.project import ChatRun
from treadle.projections.openai_chat.segment import Options
from treadle.projections.openai_chat.whole import WholeCompletion
from treadle.projections.openai_chat.wire import DONE, error_json
from treadle.runtime.said_in_text import answer_in_text
from treadle.server.folded_feed import FoldedTelling, sse_framed
from treadle.server.start_request import StartRequest, read_body
from treadle.server.visit import Visit
from treadle.server.wires.openai_request import (
    LEAVES,
    NO_RETRY,
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
from treadle.server.wires.streaming import LEFT_STATUS, collected, streamed, wire_form
from treadle.values.exposure import Exposure
from treadle.values.ids import RunId

FORM: Final = wire_form(lambda code: sse_framed([error_json(code), DONE]).encode())

_STATUSES: Final[Mapping[str, HTTPStatus]] = {
    CANCELLED: HTTPStatus.CONFLICT,
    DECISION_DUE: HTTPStatus.CONFLICT,
}
"""Of a completion that did not come to its end; 500 for all others."""


class Completions:
    """The chat completions of one mount."""

    def __init__(self, exposure: Exposure) -> None:
        self._exposure = exposure

    async def create_completion(self, visit: Visit) -> Response:
        """Start a run with the last message, or answer one that waits, and tell it as a chat completion."""
        parts = visit.parts
        parts.check_open()
        asked = chat_request(read_body(await parts.admission.body(visit.request), ChatBody))
        agent = agent_called(visit, asked.model)
        if not asked.stream:
            return await self._whole(visit, await self._begun(visit, agent, asked))
        # A stream that has no room is refused before anything was started.
        with parts.admission.reader(visit.entry.principal) as place:
            begun = await self._begun(visit, agent, asked)
            options = replace(chat_options(begun, reader_of(visit), self._exposure), include_usage=asked.include_usage)
            return await streamed(
                visit,
                begun.run.run_id,
                telling=chat_telling(options, self._exposure),
                form=FORM,
                place=place,
                headers=_headers(begun),
            )

    async def _begun(self, visit: Visit, agent: str, asked: ChatRequest) -> Begun:
        if asked.answers:
            words = [_word(said) for said in asked.answers]
            return await answer_pauses(visit, agent, words, exposure=self._exposure)
        start = StartRequest(agent=agent, prompt=asked.prompt, on_disconnect=LEAVES)
        return await begin(visit, start, history=asked.history)

    async def _whole(self, visit: Visit, begun: Begun) -> Response:
        made: list[WholeCompletion] = []

        def made_by(run_id: RunId, options: Any) -> WholeCompletion:  # noqa: ANN401 (what a telling hands on)
            made.append(WholeCompletion(run_id, options))
            return made[-1]

        options = chat_options(begun, reader_of(visit), self._exposure)
        telling = FoldedTelling(begin=made_by, options=options, exposure=self._exposure)
        said = await collected(visit, begun.run.run_id, telling)
        if said is None:
            return Response(status_code=LEFT_STATUS)
        (completion,), failure = said, made[0].failure
        status = HTTPStatus.OK if failure is None else _STATUSES.get(failure, HTTPStatus.INTERNAL_SERVER_ERROR)
        headers = {**_headers(begun), "cache-control": "no-store"}
        return Response(completion, status_code=status, media_type="application/json", headers=headers)


def chat_options(begun: Begun, reader: Reader, exposure: Exposure) -> Options:
    """How a segment is told to a reader as a chat completion."""
    return Options(
        model=begun.run.agent,
        segment=begun.segment,
        may_answer=reader.may_answer,
        tells_losses=tells_losses(exposure),
        token_of=shown_tokens(reader),
    )


def chat_telling(options: Options, exposure: Exposure) -> FoldedTelling:
    """A segment as the chunks of a completion."""
    return FoldedTelling(begin=ChatRun, options=options, exposure=exposure)


def _word(said: Said) -> Word:
    in_text = partial(answer_in_text, text=said.text, token=said.token)
    return Word(token=said.token, pointer=said.pointer, answers=in_text)


def _headers(begun: Begun) -> dict[str, str]:
    return {**NO_RETRY, "x-request-id": begun.run.run_id}
