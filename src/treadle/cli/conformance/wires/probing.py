"""The probe as a column of a wire: it posts what a client would, and looks at every byte that comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from treadle.cli.conformance.cells import Absent, Act, Client, Doing, Needs, Outcome
from treadle.cli.conformance.rows import ROWS
from treadle.codec.foreign import json_text

ONLY_READS: Final = Absent(reason="it knows bytes and no events: it only reads, and says done of a stream that ends")


def prober(
    address: str, body: Mapping[str, Any], *, whose: str, name: str = "sse_probe", headers: Sequence[str] = ()
) -> Client:
    """The probe, which posts this body.

    Args:
        address: Where to; with the places of a cell, as in the body.
        body: In JSON terms.
        whose: Whose peculiarities count.
        name: The head of its column.
        headers: More of them, as `name: value`.
    """
    return Client(
        name=name,
        script="sse_probe.py",
        address=address,
        words=(
            "--json",
            json_text(body),
            "--for",
            whose,
            *(word for header in headers for word in ("--header", header)),
        ),
        needs=Needs.NOTHING,
        acts={**dict.fromkeys(Act, ONLY_READS), Act.STOP: Doing(is_stopped=True)},
        differs={row: Outcome(verdict="done") for row in ROWS},
    )
