"""What a fault server saw and sent: one line a request, and who is connected now.

Knows no socket: the server writes it, tests read it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

End = Literal["running", "complete", "refused", "cut", "left"]


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request for a completion, and how its response went."""

    body: dict[str, Any]
    on_change: Callable[[], None] = field(repr=False)
    round_at: int = 0
    attempt_at: int = 0
    """Which of the turn's replies was given."""
    streamed: bool = False
    status: int | None = None
    sent_bytes: int = 0
    """Bytes of the body."""
    sent_events: int = 0
    """Events of the dialect; raw bytes and comments are none."""
    stalled: bool = False
    """Whether it waits to be released."""
    problem: str | None = None
    """Why the server itself refused the request: it breaks the provider's rules, or names no scenario."""
    end: End = "running"
    """`complete`: all was said · `refused`: an HTTP error · `cut`: the scenario cut it · `left`: the caller did."""

    @property
    def scenario(self) -> str:
        """The model the request named."""
        return str(self.body.get("model", ""))

    def assign(self, round_at: int, attempt_at: int, *, streamed: bool) -> None:
        """Write down which reply answers it."""
        self.round_at, self.attempt_at, self.streamed = round_at, attempt_at, streamed

    def begin(self, status: int) -> None:
        """Write down that the head went out."""
        self.status = status
        self.on_change()

    def count_bytes(self, size: int) -> None:
        """Write down bytes of the body."""
        self.sent_bytes += size
        self.on_change()

    def count_event(self) -> None:
        """Write down one event."""
        self.sent_events += 1
        self.on_change()

    def stall(self, *, stalled: bool) -> None:
        """Write down that it waits, or goes on."""
        self.stalled = stalled
        self.on_change()

    def close(self, end: End) -> None:
        """Write down how it ended; the first word stands."""
        if self.end == "running":
            self.end = end
            self.on_change()


class Stats:
    """All exchanges in the order of their requests, and the connections that are open now."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self.exchanges: list[Exchange] = []
        self.open_connections = 0

    def of(self, scenario: str | None = None) -> list[Exchange]:
        """The exchanges of a scenario, or all."""
        return [exchange for exchange in self.exchanges if scenario in (None, exchange.scenario)]

    def requests(self, scenario: str | None = None) -> int:
        """How many requests came."""
        return len(self.of(scenario))

    def bodies(self, scenario: str | None = None) -> list[dict[str, Any]]:
        """The bodies that came."""
        return [exchange.body for exchange in self.of(scenario)]

    def problems(self) -> list[str]:
        """Why requests were refused by the server itself: empty, if the caller keeps to the provider's rules."""
        return [exchange.problem for exchange in self.exchanges if exchange.problem is not None]

    def left(self, scenario: str | None = None) -> int:
        """How often the caller left before the end."""
        return sum(exchange.end == "left" for exchange in self.of(scenario))

    def running(self, scenario: str | None = None) -> int:
        """How many responses are on their way."""
        return sum(exchange.end == "running" for exchange in self.of(scenario))

    def stalled(self, scenario: str | None = None) -> int:
        """How many responses wait to be released."""
        return sum(exchange.stalled for exchange in self.of(scenario))

    def connect(self, change: Literal[1, -1]) -> None:
        """Count a connection in or out."""
        self.open_connections += change
        self._on_change()

    def open(self, exchange: Exchange) -> None:
        """Take a new exchange in."""
        self.exchanges.append(exchange)
        self._on_change()

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON, sums by scenario and bodies left out."""
        names = sorted({exchange.scenario for exchange in self.exchanges})
        return {
            "open_connections": self.open_connections,
            "scenarios": {name: self._summed(self.of(name)) for name in names},
        }

    def _summed(self, exchanges: list[Exchange]) -> dict[str, Any]:
        ends = [exchange.end for exchange in exchanges]
        return {
            "requests": len(exchanges),
            "sent_bytes": sum(exchange.sent_bytes for exchange in exchanges),
            "sent_events": sum(exchange.sent_events for exchange in exchanges),
            "stalled": sum(exchange.stalled for exchange in exchanges),
            "ends": {end: ends.count(end) for end in sorted(set(ends))},
        }
