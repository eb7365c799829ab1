"""What one request of the race over HTTP asks for, as words that fit into a prompt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Self

RUN: Final = "/v1/runs"
USED: Final = "/used"


def reading(run_id: str) -> bytes:
    """A whole HTTP request for the events of a run."""
    return f"GET {RUN}/{run_id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A run.

    Shape: `yields`: the model gives way to the event loop before each delta; `holds`: it says one delta, then nothing.
    """

    deltas: int
    yields: bool = False
    holds: bool = False

    def __str__(self) -> str:
        return f"{self.deltas}{' yields' * self.yields}{' holds' * self.holds}"

    @classmethod
    def read(cls, prompt: str) -> Self:
        """What a prompt asks for."""
        deltas, *words = prompt.split()
        return cls(deltas=int(deltas), yields="yields" in words, holds="holds" in words)

    @property
    def request(self) -> bytes:
        """A whole HTTP request for it, answered with the stream itself."""
        body = json.dumps({"agent": "bench", "prompt": str(self)}).encode()
        head = (
            f"POST {RUN} HTTP/1.1",
            "Host: 127.0.0.1",
            "Accept: text/event-stream",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            "Connection: close",
        )
        return "\r\n".join((*head, "", "")).encode() + body
