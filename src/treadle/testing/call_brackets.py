"""What may be told of one call after the other: announcement, arguments, execution, progress, result.

In: what a stream says of its calls, in order. Out: violations, as sentences. Knows no vocabulary of events.

Source: docs/testing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from treadle.kernel.call_arguments import read_arguments

ANNOUNCED: Final = "announced"
EXECUTING: Final = "executing"
SETTLED: Final = "settled"
VOID: Final = "void"

_OF_RUNS: Final = frozenset({"ok", "timeout", "unknown"})
"""How only a call ends that ran, or that a person answered after a pause."""


@dataclass(slots=True)
class _Call:
    name: str | None
    message: str
    stage: str = ANNOUNCED
    ran: bool = False
    pieces: list[str] = field(default_factory=list)
    whole: bool = False
    sequence: int | None = 0


class CallBrackets:
    """The calls of one segment.

    Args:
        report: Takes each violation.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._calls: dict[str, _Call] = {}
        self.carries = False
        """The segment goes on with calls that an earlier one announced."""

    def announce(self, call_id: str, name: str, message: str) -> None:
        """The model speaks of a call for the first time."""
        if call_id in self._calls:
            self._report(f"call {call_id!r} is announced twice")
        self._calls[call_id] = _Call(name, message)

    def arguments(self, call_id: str, text: str, *, after_execution: bool) -> None:
        """A piece of argument text; `after_execution`: all of it may come in one piece once the call executes."""
        call = self._known(call_id, "arguments")
        if call is None:
            return
        if call.stage == EXECUTING and after_execution and not call.pieces and not call.whole:
            call.whole = True
            self._read(call_id, text)
        elif call.stage != ANNOUNCED:
            self._report(f"arguments of call {call_id!r} come when it is {call.stage}")
        else:
            call.pieces.append(text)

    def execute(self, call_id: str, name: str, *, streamed: bool | None = None) -> None:
        """The run dispatches a call. `streamed`: whether it says that the argument text has come; None: it does not."""
        call = self._adopted(call_id, ANNOUNCED) or self._known(call_id, "execution")
        if call is None:
            return
        if call.stage != ANNOUNCED:
            self._report(f"call {call_id!r} is executed when it is {call.stage}")
        if call.name is not None and call.name != name:
            self._report(f"call {call_id!r} was announced as {call.name!r} and is executed as {name!r}")
        if streamed is not None and streamed != bool(call.pieces) and call.name is not None:
            told = "streamed" if streamed else "not streamed"
            self._report(f"call {call_id!r} is called {told} after {len(call.pieces)} pieces of its arguments")
        call.stage, call.ran = EXECUTING, True
        if call.pieces:
            self._read(call_id, "".join(call.pieces))

    def progress(self, call_id: str, sequence: int) -> None:
        """A running call says how far it is."""
        call = self._adopted(call_id, EXECUTING) or self._known(call_id, "progress")
        if call is None:
            return
        if call.stage != EXECUTING:
            self._report(f"call {call_id!r} progresses when it is {call.stage}")
        if call.sequence is not None and sequence != call.sequence:
            self._report(f"progress of call {call_id!r} is {sequence!r}, expected {call.sequence!r}")
        call.sequence = sequence + 1

    def result(self, call_id: str, status: str) -> None:
        """A call is settled."""
        call = self._adopted(call_id, EXECUTING) or self._known(call_id, "a result")
        if call is None:
            return
        if call.stage in (SETTLED, VOID):
            self._report(f"call {call_id!r} gets a result when it is {call.stage}")
        elif status in _OF_RUNS and not call.ran:
            self._report(f"call {call_id!r} ends {status!r} and was never executed")
        call.stage = SETTLED

    def retract(self, message: str) -> None:
        """What was shown of a message is void, its calls too."""
        for call_id, call in self._calls.items():
            if call.message != message or call.stage == VOID:
                continue
            if call.ran:
                self._report(f"call {call_id!r} ran and is retracted")
            call.stage = VOID

    def end(self, what: str, *, waiting: Collection[str] = ()) -> None:
        """Hold that every call is settled, apart from those that a pause waits for."""
        for call_id, call in self._calls.items():
            if call.stage in (ANNOUNCED, EXECUTING) and call_id not in waiting:
                self._report(f"call {call_id!r} has no result before {what}")
        for call_id in waiting:
            told = self._calls.get(call_id)
            if told is None and not self.carries:
                self._report(f"a pause waits for call {call_id!r}, which was never announced")
            elif told is not None and told.stage in (SETTLED, VOID):
                self._report(f"a pause waits for call {call_id!r}, which is {told.stage}")

    def _known(self, call_id: str, what: str) -> _Call | None:
        call = self._calls.get(call_id)
        if call is None:
            self._report(f"{what} of call {call_id!r}, which was never announced")
        return call

    def _adopted(self, call_id: str, stage: str) -> _Call | None:
        """A call of an earlier segment, at its first mention here."""
        if not self.carries or call_id in self._calls:
            return None
        # How far its progress had come was told in the earlier segment.
        call = self._calls[call_id] = _Call(None, "", stage, ran=True, sequence=None)
        return call

    def _read(self, call_id: str, text: str) -> None:
        damage = read_arguments(text)[1]
        if damage is not None:
            self._report(f"call {call_id!r} is executed although {damage}")
