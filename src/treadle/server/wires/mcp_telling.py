"""How the streams of MCP are framed: with ids, where a client may come back to one, and with a last word.

In: how a call is told. Out: what a delivery needs. An id names a call of its session and the event that was said; of
several messages that say one event only the last has it, so nothing is lost between two of them.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from starlette.responses import Response

from treadle.codec.failure_words import failure_words
from treadle.framing.sse import encode_comment
from treadle.projections.mcp.faults import OK, Fault, error
from treadle.projections.mcp.project import ToolCallRun
from treadle.projections.mcp.telling import Telling
from treadle.server.delivery import Form
from treadle.server.folded_feed import FIRST, FoldedTelling, sse_framed
from treadle.server.wires.mcp_sessions import SessionCall
from treadle.server.wires.streaming import wire_form
from treadle.values.exposure import Exposure
from treadle.values.ids import RunId
from treadle.values.runs import RunState
from treadle.values.stretches import Stretch

PRIMED: Final = frozenset({"2025-11-25"})
"""Versions whose clients take an event without data for the place that they stand at."""
_PLACE: Final = re.compile(r"([1-9]\d{0,15}):(-1|\d{1,15})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbering:
    """How the messages of one call in a session are numbered. It was told up to the event `told`."""

    telling: Telling
    number: int
    told: int = FIRST


class NumberedRun:
    """A run told to one call, message by message, each with its id. See `Projection`."""

    __slots__ = ("_numbering", "_run")

    def __init__(self, run_id: RunId, numbering: Numbering) -> None:
        self._run = ToolCallRun(run_id, numbering.telling)
        self._numbering = numbering

    @property
    def is_over(self) -> bool:
        """Whether the call has its result."""
        return self._run.is_over

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """What the next stretch says, as the lines of events."""
        said = [one for one in self._run.said(stretch) if one.at > self._numbering.told]
        last = {one.at: number for number, one in enumerate(said)}
        return [
            f"id: {self._numbering.number}:{one.at}\ndata: {one.payload}"
            if last[one.at] == number
            else f"data: {one.payload}"
            for number, one in enumerate(said)
        ]


def as_events(lines: Sequence[str]) -> str:
    """Events from their lines."""
    return "".join(f"{one}\n\n" for one in lines)


def plain_telling(telling: Telling, exposure: Exposure) -> FoldedTelling:
    """A call that nobody can come back to."""
    return FoldedTelling(begin=ToolCallRun, options=telling, exposure=exposure)


def numbered_telling(call: SessionCall, exposure: Exposure, *, told: int = FIRST) -> FoldedTelling:
    """A call of a session, behind the event that its client was told last."""
    numbering = Numbering(telling=call.telling, number=call.number, told=told)
    return FoldedTelling(begin=NumberedRun, options=numbering, exposure=exposure, framed=as_events)


def place_in(last_event_id: str) -> tuple[int, int] | None:
    """The call and the event that an id names; None where it is none of ours."""
    found = _PLACE.fullmatch(last_event_id)
    return None if found is None else (int(found[1]), int(found[2]))


def plain_form(telling: Telling) -> Form:
    """The form of a stream that nobody can come back to."""
    return wire_form(lambda code: broken(telling, code))


def session_form(call: SessionCall) -> Form:
    """The form of a stream of a session, which a client may come back to from its very beginning."""
    telling = call.telling
    form = wire_form(lambda code: sse_framed([call.last_words]).encode() if call.last_words else broken(telling, code))
    return replace(form, early=primed(call).encode() or encode_comment("treadle"))


def primed(call: SessionCall) -> str:
    """What gives a client a place to come back to before anything was said; "" for one that would not take it."""
    return f"id: {call.number}:{FIRST}\ndata: \n\n" if call.telling.version in PRIMED else ""


def gone_on(telling: Telling, run: RunState) -> Telling:
    """For a call that has answered all that the run, as it stands, waits for."""
    return replace(telling, after=run.next_index - 1)


def broken(telling: Telling, code: str) -> bytes:
    """This side ends a stream whose run goes on, or cannot be read."""
    return sse_framed([error(telling.id_json, Fault.REFUSED, failure_words(code), data={"code": code})]).encode()


def said_once(payload: str, *, status: int = OK, headers: Mapping[str, str] | None = None) -> Response:
    """One message as the whole answer, kept by nobody on the way."""
    kept = {"cache-control": "no-store", **(headers or {})}
    return Response(payload.encode(), status_code=status, media_type="application/json", headers=kept)
