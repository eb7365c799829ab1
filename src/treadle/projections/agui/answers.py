"""What a client says to an interrupt, or of a call that it ran, to an answer to the pause.

In: what it posted, and of which kind the pause is. Out: an answer, or a refusal that says what was expected. Whether it
fits what was asked is held elsewhere, for every wire alike.

Source: docs/protocols/agui.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from treadle.codec.foreign import json_value
from treadle.codec.json_schema import faults
from treadle.errors import BadAnswerError
from treadle.projections.agui.parse import CallSays, Resume
from treadle.values.ids import InterruptId
from treadle.values.mappings import Json
from treadle.values.pauses import Answer, Decision, PauseKind

LONGEST_REASON: Final = 1000
"""Characters of a failure that the model is told."""

_LEAVE: Final = frozenset({"approved", "editedArgs", "reason"})
_EXPECTED: Final = 'expected {"approved": true or false}, with "editedArgs" and "reason" where there are any'


def answer_of(said: Resume, named: InterruptId, kind: PauseKind) -> Answer:
    """The answer to a pause of this kind.

    Shape:  `cancelled` decides nothing: the call is cancelled, and the run goes on.
    Raises:
        BadAnswerError: The payload is none for a pause of this kind.
    """
    token = said.interrupt_id
    if said.status == "cancelled":
        return Answer(interrupt_id=named, token=token, decision=Decision.CANCEL)
    if kind is PauseKind.APPROVAL:
        return _leave(said.payload, named, token)
    return Answer(interrupt_id=named, token=token, decision=Decision.ANSWER, value=said.payload)


def result_of(said: CallSays, named: InterruptId, token: str, *, schema: Mapping[str, Any]) -> Answer:
    """The answer that is the result of a call.

    Shape:  text that is JSON is that value where the schema takes it, and else the text.
    """
    if said.error is not None:
        reason = said.error[:LONGEST_REASON]
        return Answer(interrupt_id=named, token=token, decision=Decision.DENY, reason=reason)
    value = _read(said.content, schema)
    return Answer(interrupt_id=named, token=token, decision=Decision.ANSWER, value=value)


def _leave(payload: object, named: InterruptId, token: str) -> Answer:
    # A name that nobody knows might be an edit misspelt: it is no leave.
    if not isinstance(payload, Mapping) or not payload.keys() <= _LEAVE:
        raise BadAnswerError(((named, _EXPECTED),))
    approved, edited, reason = payload.get("approved"), payload.get("editedArgs"), payload.get("reason")
    is_edit = edited is not None
    fits = isinstance(approved, bool) and (reason is None or isinstance(reason, str))
    if not fits or (is_edit and not (approved and isinstance(edited, Mapping))):
        raise BadAnswerError(((named, _EXPECTED),))
    decision = Decision.EDIT if is_edit else Decision.APPROVE if approved else Decision.DENY
    return Answer(interrupt_id=named, token=token, decision=decision, arguments=edited, reason=reason or None)


def _read(content: Json, schema: Mapping[str, Any]) -> Json:
    text = _joined(content)
    if not isinstance(text, str):
        return text
    try:
        value = json_value(json.loads(text))
    except (ValueError, RecursionError):
        return text
    return text if faults(value, schema) and not faults(text, schema) else value


def _joined(content: Json) -> Json:
    """Parts that are all text, as the text that they are."""
    parts = content if isinstance(content, list | tuple) else ()
    is_text = bool(parts) and all(isinstance(one, Mapping) and one.get("type") == "text" for one in parts)
    return "".join(str(one.get("text", "")) for one in parts) if is_text else content
