"""Sessions of MCP's earlier versions: what one client agreed on, and the calls it may come back to.

In: who opened a session, and what they call. Out: sessions and calls by their names. All of it is bounded: the oldest
is forgotten first. A session is a convenience and no right: it is of use to whoever opened it alone, and forgetting it,
or ending it, touches no run.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import Final
from weakref import WeakSet

from treadle.projections.mcp.telling import Telling
from treadle.server.access.principal import Principal
from treadle.server.delivery import Delivery, Ending
from treadle.values.ids import RunId

MOST_OF_ONE: Final = 512
"""Sessions of one principal."""
MOST: Final = 4_096
MOST_CALLS: Final = 32
"""Calls of one session that can be come back to, answered for and stopped."""
_ID_BYTES: Final = 24


class SessionCall:
    """One call of a session: which run it is, and how it is told.

    Shape: `number` counts the calls of the session; `last_words` is its result where the client gave it up.
    """

    __slots__ = ("_streams", "last_words", "number", "run_id", "telling")

    def __init__(self, number: int, run_id: RunId, telling: Telling) -> None:
        self.number = number
        self.run_id = run_id
        self.telling = telling
        self.last_words = ""
        self._streams: WeakSet[Delivery] = WeakSet()

    def told_by(self, stream: Delivery) -> None:
        """One more stream tells it."""
        self._streams.add(stream)

    def give_up(self, last_words: str) -> None:
        """End it: its client will not say what it was asked. The run is not touched."""
        self.last_words = last_words
        for stream in list(self._streams):
            stream.end(Ending.GIVEN_UP)


class Session:
    """What one client agreed on, and its newest calls."""

    __slots__ = ("_calls", "_number", "agent", "can_ask", "name", "principal", "version")

    def __init__(self, name: str, principal: Principal, agent: str, *, version: str, can_ask: bool) -> None:
        self.name = name
        self.principal = principal
        self.agent = agent
        self.version = version
        self.can_ask = can_ask
        self._calls: OrderedDict[str, SessionCall] = OrderedDict()
        self._number = 0

    def call(self, id_json: str) -> SessionCall | None:
        """The call that a request of this id was."""
        return self._calls.get(id_json)

    def call_of(self, run_id: RunId) -> SessionCall | None:
        """The newest call that is told this run."""
        return next((call for call in reversed(self._calls.values()) if call.run_id == run_id), None)

    def numbered(self, number: int) -> SessionCall | None:
        """The call of this number."""
        return next((call for call in self._calls.values() if call.number == number), None)

    def begin(self, run_id: RunId, telling: Telling) -> SessionCall:
        """Remember a call. A request that came before, for the same run, is the same call."""
        call = self._calls.pop(telling.id_json, None)
        if call is None or call.run_id != run_id:
            self._number += 1
            call = SessionCall(self._number, run_id, telling)
        self._calls[telling.id_json] = call
        if len(self._calls) > MOST_CALLS:
            self._calls.popitem(last=False)
        return call


class Sessions:
    """The sessions of one mount."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, principal: Principal, agent: str, *, version: str, can_ask: bool) -> Session:
        """Open a session. Where there are too many, that which was of no use for longest is forgotten."""
        theirs = [one for one in self._open.values() if one.principal == principal]
        if len(theirs) >= MOST_OF_ONE:
            del self._open[theirs[0].name]
        elif len(self._open) >= MOST:
            self._open.popitem(last=False)
        session = Session(secrets.token_urlsafe(_ID_BYTES), principal, agent, version=version, can_ask=can_ask)
        self._open[session.name] = session
        return session

    def find(self, name: str, principal: Principal, agent: str) -> Session | None:
        """A session by its name; None where there is none that this principal opened with this agent."""
        session = self._open.get(name)
        if session is None or session.principal != principal or session.agent != agent:
            return None
        self._open.move_to_end(name)
        return session

    def end(self, session: Session) -> None:
        """Forget a session."""
        self._open.pop(session.name, None)
