"""Runs told as responses, and the official client's accumulator, fed from events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from openai._models import construct_type  # as the client takes an event from the wire
from openai._types import omit
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.responses import ParsedResponse, ResponseStreamEvent

from tests.projections.legal_logs import LegalRun
from tests.projections.told_segments import shown
from treadle.projections.openai_responses.project import Options, ResponseRun
from treadle.projections.openai_responses.whole import WholeResponse
from treadle.values.exposure import UI, Exposure
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import Stretch

Event = dict[str, Any]
CREATED = 1_700_000_000


def token_of(pending: PendingInterrupt) -> str:
    """A token, as a server would make one."""
    return f"token-{pending.interrupt_id}"


def options(**more: Any) -> Options:  # noqa: ANN401 (fields of it)
    """What a reader wants to be told."""
    return Options(**{"model": "calc", "created": CREATED, "token_of": token_of, "tells_losses": True, **more})


def payloads_of(
    run: LegalRun,
    segment: int = 1,
    *,
    exposure: Exposure = UI,
    stretches: Sequence[Stretch] | None = None,
    **more: Any,  # noqa: ANN401 (fields of the options)
) -> list[str]:
    """The payloads of one segment."""
    fold = ResponseRun(run.run_id, options(segment=segment, **more))
    told = [payload for stretch in shown(run, exposure, stretches) for payload in fold.payloads(stretch)]
    assert fold.is_over
    return told


def events_of_response(run: LegalRun, segment: int = 1, **more: Any) -> list[Event]:  # noqa: ANN401 (as of `payloads_of`)
    """The same, read."""
    return [json.loads(payload) for payload in payloads_of(run, segment, **more)]


def whole_of(
    run: LegalRun, segment: int = 1, *, exposure: Exposure = UI, stretches: Sequence[Stretch] | None = None
) -> Event:
    """One segment as one response."""
    fold = WholeResponse(run.run_id, options(segment=segment))
    (payload,) = [payload for stretch in shown(run, exposure, stretches) for payload in fold.payloads(stretch)]
    assert json.loads(payload) == json.loads(json.dumps(fold.response, default=dict))
    told: Event = json.loads(payload)
    return told


def accumulated(events: Iterable[Event]) -> ParsedResponse[None] | None:
    """What the official client makes of events: the completed response, if it has one.

    Raises:
        RuntimeError: The client refuses the stream.
    """
    state: ResponseStreamState[None] = ResponseStreamState(input_tools=omit, text_format=omit)
    for event in events:
        state.handle_event(construct_type(type_=ResponseStreamEvent, value=event))
    return state._completed_response  # noqa: SLF001 (what `get_final_response` gives, without a connection)
