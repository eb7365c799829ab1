"""What the routes of pauses do, once whoever asks was let in as one who may answer.

In: a visit. Out: a response; what is refused is raised. Tokens are made here, for this one reader, and kept nowhere.

Source: docs/pauses.md.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from treadle.codec.foreign import json_value
from treadle.runtime.open_pauses import OpenPause
from treadle.server.answer_request import answers_request
from treadle.server.answers import answer
from treadle.server.negotiation import integers_of
from treadle.server.visit import Visit


async def read_pauses(visit: Visit) -> Response:
    """What a run waits for people to say, each with the token that an answer to it needs."""
    pauses = await visit.runs.pauses(visit.about.run_id)
    return answer({"pauses": [_pause_json(pause) for pause in pauses]}, integers=integers_of(visit.request))


async def answer_pauses(visit: Visit) -> Response:
    """Take in what a person says to pauses of a run, all of it or none of it. The run goes on when none is open."""
    said = answers_request(await visit.parts.admission.body(visit.request))
    taken = await visit.runs.answer(visit.about.run_id, said, principal=visit.entry.principal.name)
    return answer({"run_id": taken.run_id, "taken": list(taken.taken), "open": list(taken.open)})


def _pause_json(pause: OpenPause) -> dict[str, Any]:
    return {
        "interrupt_id": pause.interrupt_id,
        "kind": pause.kind.value,
        "call_id": pause.call_id,
        "request": json_value(pause.request),
        "response_schema": json_value(pause.response_schema),
        "expires_at": pause.expires_at,
        "on_expiry": pause.on_expiry.value,
        "token": pause.token,
    }
