"""The steps of an attempt to what the model port yields.

In: steps. Out: reads (lists of pieces, calls, counts, the ended turn) and the waits and faults between them. Pure: who
plays it waits and raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from treadle.adapters.models.scripted.steps import (
    Attempt,
    Called,
    Carried,
    Continued,
    Fault,
    Finished,
    Gate,
    Quiet,
    Said,
    Unclear,
    Used,
    Utterance,
    Whole,
)
from treadle.kernel.call_arguments import read_arguments
from treadle.values.calls import ToolRequest
from treadle.values.model import ARGUMENTS, TEXT, CallNamed, ModelItem, ModelTurn, StopReason, TurnEnded, UsageTold
from treadle.values.usage import NO_USAGE

Read = tuple[ModelItem, ...]
Move = Read | Gate | Fault


def played(attempt: Attempt, *, items_per_read: int = 1) -> tuple[Move, ...]:
    """What happens when an attempt is played, in order.

    Shape:  a read holds `items_per_read` items, fewer before a wait, a fault or the end; an empty one says that bytes
            came and meant nothing. The last item of an attempt without a fault is the ended turn.
    """
    speech = _Speech()
    moves: list[Move] = []
    held: list[ModelItem] = []
    for step in attempt:
        if isinstance(step, Quiet | Gate | Fault):
            moves += [tuple(held)] if held else []
            moves.append(() if isinstance(step, Quiet) else step)
            held = []
            continue
        for item in speech.items(step):
            held.append(item)
            if len(held) >= items_per_read:
                moves.append(tuple(held))
                held = []
    if not (attempt and isinstance(attempt[-1], Fault)):
        moves.append((*held, TurnEnded(turn=speech.turn())))
    return tuple(moves)


class _Speech:
    """A turn while it is spoken."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}
        self._calls: list[tuple[Called, list[str]]] = []
        self._current = -1
        self._usage = NO_USAGE
        self._reason: StopReason | None = None
        self._payload: Any = None
        self._damage: str | None = None

    def items(self, step: Utterance) -> Iterator[ModelItem]:
        match step:
            case Said(kind=kind, pieces=pieces):
                self._said.setdefault(kind, []).extend(pieces)
                yield from ((kind, piece) for piece in pieces)
            case Whole(text=text):
                self._said.setdefault(TEXT, []).append(text)
            case Called():
                self._calls.append((step, []))
                yield from self._arguments(len(self._calls) - 1, _cut(step.arguments, step.cut), begins=True)
            case Continued(slot=slot, text=text):
                yield from self._arguments(slot, _cut(text, 1))
            case Used(usage=usage):
                self._usage = usage
                yield UsageTold(usage=usage)
            case Finished(reason=reason):
                self._reason = reason
            case Carried(payload=payload):
                self._payload = payload
            case Unclear(damage=damage):
                self._damage = damage
            case _:
                assert_never(step)

    def turn(self) -> ModelTurn:
        by_content = StopReason.TOOL_CALLS if self._calls else StopReason.STOP
        return ModelTurn(
            text="".join(self._said.get(TEXT, ())),
            thinking="".join(piece for kind, pieces in self._said.items() if kind != TEXT for piece in pieces),
            tool_requests=tuple(_request(call, "".join(pieces)) for call, pieces in self._calls),
            usage=self._usage,
            stop_reason=self._reason or by_content,
            payload=self._payload,
            damage=self._damage,
        )

    def _arguments(self, slot: int, pieces: list[str], *, begins: bool = False) -> Iterator[ModelItem]:
        call, said = self._calls[slot]
        if begins or slot != self._current:
            yield CallNamed(slot=slot, name=call.name, provider_id=call.provider_id)
        self._current = slot
        said.extend(pieces)
        yield from ((ARGUMENTS, piece) for piece in pieces)


def _cut(text: str, pieces: int) -> list[str]:
    """The text in that many pieces of about one length; fewer where it is too short, none of them empty."""
    pieces = min(pieces, len(text))
    return [text[len(text) * at // pieces : len(text) * (at + 1) // pieces] for at in range(pieces)]


def _request(call: Called, text: str) -> ToolRequest:
    arguments, damage = read_arguments(text)
    return ToolRequest(
        name=call.name,
        arguments={} if damage else arguments,
        provider_id=call.provider_id,
        raw_arguments=text if damage else None,
        damage=damage,
    )
