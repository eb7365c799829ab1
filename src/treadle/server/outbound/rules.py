"""What requests to addresses of clients are held to.

In: nothing. Out: values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_network
from typing import Final

from treadle.server.outbound.addresses import Network

LEAST_SECRET_BYTES: Final = 24
TIMEOUT_S: Final = 10.0
ATTEMPTS: Final = 6
FIRST_WAIT_S: Final = 2.0
"""Before the second attempt; each later one waits four times as long."""
LONGEST_WAIT_S: Final = 900.0


@dataclass(frozen=True, kw_only=True)
class OutboundRules:
    """How this server calls addresses that clients give it.

    Shape: `secret` signs what is sent; whoever receives it has the same. `allow_http` also takes addresses without TLS.
        `networks` are those that may be called although they are not public, as `10.1.0.0/16`: none.
    Units: `timeout_s` is for one attempt, from the name server to the status line.

    Raises:
        ValueError: The secret is too short, a network is none, or there is no attempt.
    """

    secret: bytes = field(repr=False)
    allow_http: bool = False
    networks: tuple[str, ...] = ()
    timeout_s: float = TIMEOUT_S
    attempts: int = ATTEMPTS

    def __post_init__(self) -> None:
        if len(self.secret) < LEAST_SECRET_BYTES:
            raise ValueError(f"a secret has {LEAST_SECRET_BYTES} bytes or more, came {len(self.secret)}")
        if self.attempts < 1 or not self.timeout_s > 0:
            raise ValueError(f"expected an attempt and a time for it, came {self.attempts!r} of {self.timeout_s!r} s")
        object.__setattr__(self, "networks", tuple(str(ip_network(one)) for one in self.networks))

    @cached_property
    def allowed(self) -> tuple[Network, ...]:
        """The networks, as such."""
        return tuple(ip_network(one) for one in self.networks)

    def wait_s(self, attempt: int) -> float:
        """Seconds between an attempt, counted from 1, and the next."""
        return float(min(LONGEST_WAIT_S, FIRST_WAIT_S * 4 ** (attempt - 1)))
