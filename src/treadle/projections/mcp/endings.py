"""How a segment of a run ends, as the result of a call; and what a client is asked in the midst of one.

In: a closing event as a mount may know it, and how the call is told. Out: messages as JSON text.

Shape: the texts of a result, joined, are what was shown: first what was said on the way, then the answer. What the run
    came to, where that was no answer, is said in a text behind them and marked as an error, so that whoever called
    reads it.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle.codec.failure_words import CANCELLED, DECISION_DUE, failure_words
from treadle.codec.foreign import json_text
from treadle.projections.mcp.forms import form_of
from treadle.projections.mcp.telling import Telling
from treadle.projections.mcp.wire import (
    LARGEST_EVENT,
    call_result,
    elicitation,
    message,
    own_meta,
    response,
    structured,
    text_block,
    usage_terms,
)
from treadle.values import events as ev
from treadle.values.exposure import is_hidden
from treadle.values.ids import RunId, ThreadId
from treadle.values.mappings import Json
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PendingInterrupt
from treadle.values.usage import UsageDelta

BETWEEN: Final = "."
"""Between the tokens of a request state: no token holds it."""


class Ending:
    """What all results of one run's call have in common."""

    def __init__(self, telling: Telling, *, run_id: RunId, thread_id: ThreadId, spent: UsageDelta) -> None:
        self._telling = telling
        self._run_id = run_id
        self._meta = own_meta(run_id=run_id, thread_id=thread_id or None, usage=usage_terms(spent))

    def done(self, event: ev.Done) -> str:
        """The run came to its end."""
        outcome = event.outcome
        output = structured(outcome.output)
        texts = _shown(outcome) or ["" if output is None else json_text(output)]
        termination = None if event.termination == "completed" else event.termination
        return self._result(texts, output=output, meta=own_meta(termination=termination))

    def failed(self, event: ev.Error) -> str:
        """The run failed."""
        words = f"{event.code}: {event.detail or failure_words(event.code)}"
        meta = own_meta(code=event.code, retryable=event.retryable, reference=event.reference)
        return self._failure(event.outcome, words, meta)

    def cancelled(self, event: ev.Cancelled) -> str:
        """Somebody stopped the run."""
        words = f"{CANCELLED}: {failure_words(CANCELLED)}"
        return self._failure(event.outcome, words, own_meta(code=CANCELLED, reason=event.reason))

    def paused(self, event: ev.PauseEvent, pending: Sequence[PendingInterrupt]) -> str:
        """The run waits: for the user of this client, who is asked, or for somebody elsewhere."""
        asked = _input_required(pending, self._telling) if self._telling.is_modern else None
        if asked is not None:
            made = response(self._telling.id_json, {**asked, "_meta": self._meta})
            if len(made.encode()) <= LARGEST_EVENT:
                return made
        return self._failure(event.outcome, due(self._telling.runs_url, self._run_id), own_meta(code=DECISION_DUE))

    def _failure(self, outcome: InvocationOutcome, words: str, meta: dict[str, Json]) -> str:
        return self._result([*_shown(outcome), words], is_error=True, meta=meta)

    def _result(
        self, texts: Sequence[str], *, meta: dict[str, Json], output: Json = None, is_error: bool = False
    ) -> str:
        result = call_result(
            texts,
            is_modern=self._telling.is_modern,
            is_error=is_error,
            output=output,
            meta={**self._meta, **meta},
            run_id=self._run_id,
        )
        return response(self._telling.id_json, result)


def due(runs_url: str, run_id: RunId) -> str:
    """That a decision is due, and where it can be given."""
    run = f"{runs_url}/{run_id}"
    return f"{DECISION_DUE}: {failure_words(DECISION_DUE)}; POST {run}/answers takes it, GET {run} says how it went on"


def given_up(telling: Telling, run_id: RunId, note: str) -> str:
    """The result of a call whose client was asked and gave no answer that could be taken: the run waits on."""
    meta = own_meta(run_id=run_id, code=DECISION_DUE)
    return _error_result(telling, f"{note}\n{due(telling.runs_url, run_id)}", meta)


def refused_call(telling: Telling, words: str) -> str:
    """The result of a call that led to no run, in words for whoever made it."""
    return _error_result(telling, words, {})


def _error_result(telling: Telling, words: str, meta: dict[str, Json]) -> str:
    result: dict[str, Json] = {"resultType": "complete"} if telling.is_modern else {}
    return response(telling.id_json, {**result, "content": [text_block(words)], "isError": True, "_meta": meta})


def asked_in_session(pending: Sequence[PendingInterrupt], telling: Telling) -> list[tuple[str, str]] | None:
    """Requests to a client, each with its id: the token of its pause. None where it cannot be asked all of them."""
    forms = _forms(pending, telling)
    if forms is None:
        return None
    asked = [(token, message(id=token, method="elicitation/create", params=params)) for _, token, params in forms]
    return asked if all(len(payload.encode()) <= LARGEST_EVENT for _, payload in asked) else None


def _input_required(pending: Sequence[PendingInterrupt], telling: Telling) -> dict[str, Json] | None:
    forms = _forms(pending, telling)
    if forms is None:
        return None
    requests: dict[str, Json] = {
        one.interrupt_id: {"method": "elicitation/create", "params": params} for one, _, params in forms
    }
    state = BETWEEN.join(token for _, token, _ in forms)
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}


def _forms(
    pending: Sequence[PendingInterrupt], telling: Telling
) -> list[tuple[PendingInterrupt, str, dict[str, Json]]] | None:
    """The pauses as forms, with their tokens; None where one of them cannot be asked here."""
    if not telling.asks or not pending:
        return None
    made = []
    for one in pending:
        token = None if is_hidden(one) else telling.token_of(one)
        if token is None:
            return None
        form = form_of(one, with_lists=telling.with_lists)
        words = f"{telling.note}\n{form.message}" if telling.note else form.message
        made.append((one, token, elicitation(words, form.schema, version=telling.version)))
    return made


def _shown(outcome: InvocationOutcome) -> list[str]:
    """What was shown: what was said on the way, and the answer."""
    return [text for text in (outcome.text[: outcome.answer_at], outcome.answer) if text]
