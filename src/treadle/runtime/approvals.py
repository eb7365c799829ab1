"""A call that needs leave, to the question a person is asked about it."""

from __future__ import annotations

import hashlib
import json

from treadle.kernel.inputs import PauseAsk
from treadle.values.calls import ToolRequest
from treadle.values.mappings import Json, thawed
from treadle.values.pauses import PauseKind


def approval_of(request: ToolRequest) -> PauseAsk:
    """What is asked before this call may run; it is bound to the exact arguments."""
    return PauseAsk(
        kind=PauseKind.APPROVAL,
        request={"name": request.name, "arguments": request.arguments},
        arguments_digest=arguments_digest(request.arguments),
    )


def arguments_digest(arguments: Json) -> str:
    """The SHA-256, in hex, of arguments in JSON terms: the same for equal arguments, however they are ordered."""
    canonical = json.dumps(thawed(arguments), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
