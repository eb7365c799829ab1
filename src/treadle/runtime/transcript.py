"""What a thread's next run is told of the runs before: the transcript, from their logs.

Finished turns are told raw, with their payload and what came of their calls; a turn that never finished as the text
that was shown of it, marked cut, without its calls; a retracted one not at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from treadle.kernel.machine import Machine
from treadle.runtime.shown_so_far import ShownSoFar
from treadle.values.events import EVENT_TYPES
from treadle.values.facts import RoundOpened, TurnKept
from treadle.values.model import ModelTurn
from treadle.values.records import Entry
from treadle.values.requests import HistoryMessage, TurnMessage, UserMessage

_EVENTS = frozenset(EVENT_TYPES)


def told_of(entries: Iterable[Entry]) -> tuple[HistoryMessage, ...]:
    """The messages of one run, from its entries in order: the prompt, then its turns.

    Shape: empty for a run whose request is not among the entries. A finished turn whose calls have no results yet
    is left out with what follows it: nothing may be told of a call without its result.
    """
    entries = list(entries)
    standing = Machine.rebuilt(entries).standing
    if standing.request is None:
        return ()
    asked = UserMessage(text=standing.request.prompt, attachments=standing.request.attachments)
    cut = _cut_text(entries)
    turns: tuple[TurnMessage, ...] = tuple(standing.turns)
    if cut:
        turns += (TurnMessage(turn=ModelTurn(text=cut), cut=True),)
    return (asked, *turns)


def _cut_text(entries: list[Entry]) -> str:
    """What was shown of the last turn, if that turn never finished."""
    last = next((entry for entry in reversed(entries) if isinstance(entry, RoundOpened | TurnKept)), None)
    if not isinstance(last, RoundOpened):
        return ""
    shown = ShownSoFar()
    for entry in entries:
        if type(entry) in _EVENTS:
            shown.add(entry)  # type: ignore[arg-type]  # it is an event by the line above
    return shown.answer
