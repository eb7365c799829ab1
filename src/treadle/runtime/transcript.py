"""What a thread's next run is told of the runs before: the transcript, from their logs.

Finished turns are told raw, with their payload and what came of their calls; a turn that never finished as the text
that was shown of it, marked cut, without its calls; a retracted one not at all. A run whose facts were deleted is told
as its shown text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from treadle.kernel.machine import Machine
from treadle.runtime.shown_so_far import ShownSoFar
from treadle.values.events import Done, Retracted, RunStarted, TextDelta
from treadle.values.facts import FACT_TYPES, RequestKept, RoundOpened, TurnKept
from treadle.values.model import ModelTurn
from treadle.values.records import Entry
from treadle.values.requests import HistoryMessage, TurnMessage, UserMessage

_FACTS: Final = frozenset(FACT_TYPES)


def told_of(entries: Iterable[Entry]) -> tuple[HistoryMessage, ...]:
    """The messages of one run, from its entries in order: the prompt, then its turns.

    Shape: empty for a run of which nothing was written. A finished turn whose calls have no results yet is left out
    with what follows it: nothing may be told of a call without its result.
    """
    entries = list(entries)
    if not any(isinstance(entry, RequestKept) for entry in entries):
        return _shown_of(entries)
    standing = Machine.rebuilt(entries).standing
    assert standing.request is not None
    asked = UserMessage(text=standing.request.prompt, attachments=standing.request.attachments)
    turns: tuple[TurnMessage, ...] = tuple(standing.turns)
    if cut := _cut_text(entries):
        turns += (TurnMessage(turn=ModelTurn(text=cut), cut=True),)
    return (asked, *turns)


def _cut_text(entries: Sequence[Entry]) -> str:
    """What was shown of the last turn and not taken back, if that turn never finished."""
    is_open = False
    shown: list[str] = []
    for entry in entries:
        match entry:
            case RoundOpened() | Retracted():
                is_open = True
                shown.clear()
            case TurnKept():
                is_open = False
            case TextDelta(text=text):
                shown.append(text)
            case _:
                pass
    return "".join(shown) if is_open else ""


def _shown_of(events: Sequence[Entry]) -> tuple[HistoryMessage, ...]:
    """The prompt, and all that was shown, as one turn."""
    shown = ShownSoFar()
    messages: list[HistoryMessage] = []
    for event in events:
        if type(event) in _FACTS:
            continue
        shown.add(event)  # type: ignore[arg-type]  # what is no fact is an event
        if isinstance(event, RunStarted):
            messages.append(UserMessage(text=event.prompt))
    if shown.text:
        is_cut = not (events and isinstance(events[-1], Done))
        messages.append(TurnMessage(turn=ModelTurn(text=shown.text), cut=is_cut))
    return tuple(messages)
