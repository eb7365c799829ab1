"""How a run has ended or why it waits, told to an address: for whoever does not read.

In: what a worker stored, as an observer. Out: small signed bodies, sent until they are taken, or until that is given
up. Nothing here delays a run: a body is put down while the run goes on, and what cannot be sent is logged.

Shape:  one delivery id a run and segment, the same however often it is sent, also by another process.
Source: docs/webhooks.md, ADR 0053 (webhooks of runs).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from treadle.adapters.system import SystemClock
from treadle.codec.foreign import json_bytes
from treadle.errors import OutboundRefusedError
from treadle.ports.store import Store
from treadle.server.outbound.outbox import Outbox, Parcel
from treadle.server.outbound.rules import OutboundRules
from treadle.server.outbound.targets import target_of
from treadle.values.events import CLOSING_TYPES, ClosingEvent, Done, Error, RunStarted
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus
from treadle.values.stretches import EntryStretch, Stretch, events_of

_log: Final = logging.getLogger("treadle.webhooks")

ENDED, PAUSED = "ended", "paused"
MOST_TEXT: Final = 64 * 1024
"""Characters of a text that goes with a body. Of a longer one nothing goes: whoever wants it asks for the run."""
MOST_UNSENT: Final = 1_000
"""Bodies of one webhook that are on their way. Of a run that ends while there are so many, nothing is sent."""
SETTLE_S: Final = 3.0
"""Seconds that bodies have when the runner is left."""
PAGE: Final = 200
_STATES: Final[Mapping[str, RunStatus]] = {
    "done": RunStatus.DONE,
    "error": RunStatus.ERROR,
    "cancelled": RunStatus.CANCELLED,
}
_RESTING: Final = {ENDED: tuple(_STATES.values()), PAUSED: (RunStatus.WAITING,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    """What a body says of a run whatever became of it."""

    agent: str
    thread_id: str


class Webhook:
    """An observer that tells an address how runs end and why they wait: `Server(agents, observers=[Webhook(…)])`.

    Args:
        url: Where to. A name that leads to an inner address is refused, unless the rules allow its network.
        rules: The secret that signs, and how it is called.
        events: `ended`, `paused`, or both.
        text: Whether the text of a run that is done goes with it; nothing that was said is told otherwise.
        outbox: What sends.
    Raises:
        ValueError: The url is none that may be called, or there is no such event.
    """

    def __init__(
        self,
        url: str,
        rules: OutboundRules,
        *,
        events: Collection[str] = (ENDED, PAUSED),
        text: bool = False,
        outbox: Outbox | None = None,
    ) -> None:
        try:
            target_of(url, rules)
        except OutboundRefusedError as refused:
            raise ValueError(f"a webhook needs a url that may be called: {refused}") from refused
        if isinstance(events, str) or not events or not set(events) <= {ENDED, PAUSED}:
            raise ValueError(f"expected a list of {ENDED!r} and {PAUSED!r}, came {events!r}")
        self._url = url
        self._events = frozenset(events)
        self._text = text
        self._outbox = outbox or Outbox(rules, clock=SystemClock())
        self._about: dict[RunId, _About] = {}
        self._unsent: dict[asyncio.Task[None], str] = {}

    @property
    def unsent(self) -> int:
        """How many bodies are on their way."""
        return len(self._unsent)

    def learn(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """Learn whose run it is. See `RunLearner`."""
        self._know(run_id, stretches)

    def stored(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """Put a body down where a segment was closed. See `RunObserver`."""
        self._know(run_id, stretches)
        last = stretches[-1] if stretches else None
        if isinstance(last, EntryStretch):
            for event in events_of(last, run_id):
                if isinstance(event, CLOSING_TYPES) and self._is_wanted(event) and run_id in self._about:
                    self._send(self._parcel(event, self._about[run_id], at_s=last.at_s))

    def released(self, run_id: RunId, /) -> None:
        """Forget the run. See `RunObserver`."""
        self._about.pop(run_id, None)

    async def settle(self) -> None:
        """Give what is on its way `SETTLE_S` seconds, then let it go. See `RunSettler`."""
        if not self._unsent:
            return
        _, late = await asyncio.wait(set(self._unsent), timeout=SETTLE_S)
        for task in late:
            _log.warning("%s was not taken before this process stopped", self._unsent[task])
            task.cancel()
        if late:
            await asyncio.wait(late)

    async def catch_up(self, store: Store, *, since_s: float, scope: str = "default") -> int:
        """Send again what became of runs since then, in case that a process before did not come to it.

        Whoever receives it twice tells that by the id. Looks at every run of the scope that is not at work.

        Units:  `since_s` is UTC seconds by the store's clock.
        Returns:
            How many bodies were put down.
        """
        count = 0
        for status in (status for event in sorted(self._events) for status in _RESTING[event]):
            before: RunId | None = None
            while found := await store.find(scope, statuses=(status,), before=before, limit=PAGE):
                before = found[-1].run_id
                for run in found:
                    if run.changed_s >= since_s:
                        about = _About(agent=run.agent, thread_id=run.thread_id)
                        count += await self._send_last(store, scope, run.run_id, run.next_index, about)
        return count

    async def _send_last(self, store: Store, scope: str, run_id: RunId, ends: int, about: _About) -> bool:
        """Send what the last event of a run that rests says."""
        for stretch in await store.read(scope, run_id, ends - 2, limit=PAGE):
            for event in events_of(stretch, run_id, after=ends - 2):
                if isinstance(event, CLOSING_TYPES):
                    return self._send(self._parcel(event, about, at_s=stretch.at_s))
        return False

    def _know(self, run_id: RunId, stretches: Sequence[Stretch]) -> None:
        first = stretches[0] if stretches else None
        if isinstance(first, EntryStretch) and first.index == 0:
            for event in events_of(first, run_id):
                if isinstance(event, RunStarted):
                    self._about[run_id] = _About(agent=event.agent, thread_id=event.thread_id)

    def _is_wanted(self, event: ClosingEvent) -> bool:
        return (ENDED if event.kind in _STATES else PAUSED) in self._events

    def _parcel(self, event: ClosingEvent, about: _About, *, at_s: float) -> Parcel:
        state = _STATES.get(event.kind, RunStatus.WAITING)
        told: dict[str, Any] = {
            "event": f"run.{PAUSED if state is RunStatus.WAITING else ENDED}",
            "run_id": event.run_id,
            "thread_id": about.thread_id,
            "agent": about.agent,
            "state": state.value,
            "at_s": at_s,
        }
        if isinstance(event, Error):
            told["error_code"] = event.code
        if self._text and isinstance(event, Done):
            text = event.outcome.text
            told["text"] = text if len(text) <= MOST_TEXT else None
        # The index of a closing event names the segment that it closes.
        return Parcel(url=self._url, message_id=f"{event.run_id}.{event.index}", body=json_bytes(told))

    def _send(self, parcel: Parcel) -> bool:
        if len(self._unsent) >= MOST_UNSENT:
            _log.warning("%s is not sent: %d are on their way", parcel.message_id, MOST_UNSENT)
            return False
        task = asyncio.get_running_loop().create_task(
            self._delivered(parcel), name=f"treadle webhook {parcel.message_id}"
        )
        self._unsent[task] = parcel.message_id
        task.add_done_callback(self._unsent.pop)
        return True

    async def _delivered(self, parcel: Parcel) -> None:
        try:
            await self._outbox.deliver(parcel)
        except Exception:  # noqa: BLE001 (the border of a delivery: nobody waits for what it raises)
            _log.exception("%s could not be sent", parcel.message_id)
