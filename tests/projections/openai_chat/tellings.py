"""Runs told as chat completions, and the official client's accumulator, fed from chunks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests.projections.legal_logs import LegalRun
from tests.projections.told_segments import shown
from treadle.projections.openai_chat.project import ChatRun
from treadle.projections.openai_chat.segment import Options
from treadle.projections.openai_chat.whole import WholeCompletion
from treadle.values.exposure import UI, Exposure
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import Stretch


def token_of(pending: PendingInterrupt) -> str:
    """A token, as a server would make one."""
    return f"token-{pending.interrupt_id}"


def options(**more: Any) -> Options:  # noqa: ANN401 (fields of it)
    """What a reader wants to be told."""
    given = {"model": "calc", "token_of": token_of, "include_usage": True, "tells_losses": True, **more}
    return Options(**given)


def chunks_of(
    run: LegalRun,
    segment: int = 1,
    *,
    exposure: Exposure = UI,
    stretches: Sequence[Stretch] | None = None,
    **more: Any,  # noqa: ANN401 (fields of the options)
) -> list[str]:
    """The payloads of one segment."""
    fold = ChatRun(run.run_id, options(segment=segment, **more))
    told = [payload for stretch in shown(run, exposure, stretches) for payload in fold.payloads(stretch)]
    assert fold.is_over
    return told


def completion_of(
    run: LegalRun,
    segment: int = 1,
    *,
    exposure: Exposure = UI,
    stretches: Sequence[Stretch] | None = None,
    **more: Any,  # noqa: ANN401 (fields of the options)
) -> tuple[dict[str, Any], str | None]:
    """One segment as one completion, and the code of its failure."""
    fold = WholeCompletion(run.run_id, options(segment=segment, **more))
    told = [payload for stretch in shown(run, exposure, stretches) for payload in fold.payloads(stretch)]
    assert fold.is_over
    (payload,) = told
    return json.loads(payload), fold.failure


def accumulated(payloads: Iterable[str]) -> tuple[ChatCompletion | None, dict[str, Any] | None]:
    """What the official client makes of chunks: a completion, or as far as it came, and the error that it raises at."""
    state: ChatCompletionStreamState[None] = ChatCompletionStreamState()
    snapshot: Any = None
    for payload in payloads:
        if payload == "[DONE]":
            break
        terms = json.loads(payload)
        if terms.get("error"):
            return snapshot, terms["error"]
        # As the client takes a chunk from the wire: without validation.
        chunk = ChatCompletionChunk.construct(**terms)
        for _ in state.handle_chunk(chunk):
            pass
        snapshot = state.current_completion_snapshot
    return snapshot, None
