"""A stretch of speech to the frames of a wire, against the least that makes the same bytes: a prefix, one encode, a suffix.

In: nothing. Out: races for the gate, two a wire: many deltas at once, as a reader finds them that catches up, and one by
one, as one does that keeps up. What a wire says is compared with what its floor says before anything is timed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Final

from races import LostTextError, cpu_s
from verdicts import Race
from workload import deltas

from treadle.projections.agui.project import AguiRun
from treadle.projections.agui.telling import Telling
from treadle.server.folded_feed import Fold, Projection, sse_framed
from treadle.values import events as ev
from treadle.values.exposure import UI, Exposure
from treadle.values.ids import RunId, ThreadId
from treadle.values.model import TEXT
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

RUN: Final = RunId("r_0123456789abcdefghij")
TEXTS: Final = tuple(deltas(40_000))
A_READ: Final = 64
MOST: Final = 2.0


@dataclass(frozen=True, kw_only=True)
class Wire:
    """One wire: how a response of it begins, what it may say, and the frame of a piece up to its text."""

    name: str
    begin: Callable[[], Projection]
    exposure: Exposure
    before: str
    after: str = "}\n\n"


WIRES: Final = (
    Wire(
        name="agui",
        begin=lambda: AguiRun(RUN, Telling(thread_id="t", run_id="r")),
        exposure=UI,
        before=f'data: {{"type":"TEXT_MESSAGE_CONTENT","messageId":"{RUN}.p1","delta":',
    ),
)


def frame_races() -> Iterator[Race]:
    """Frames of each wire against its floor."""
    for wire in WIRES:
        for name, size in (("frames", A_READ), ("frames one by one", 1)):
            stretches = _speech(size)
            _check(wire, stretches)
            yield Race(
                name=f"L2 {wire.name} {name}, x floor",
                most=MOST if size > 1 else None,
                floor=lambda wire=wire, size=size: cpu_s(lambda: _floor(wire, size)),
                ours=lambda wire=wire, stretches=stretches: cpu_s(lambda: _ours(wire, stretches)),
                unit="frame",
                floor_units=len(TEXTS),
                our_units=len(TEXTS),
            )


def _floor(wire: Wire, size: int) -> list[bytes]:
    before, after, escaped = wire.before, wire.after, encode_basestring_ascii
    return [
        "".join([f"{before}{escaped(text)}{after}" for text in TEXTS[at : at + size]]).encode()
        for at in range(0, len(TEXTS), size)
    ]


def _ours(wire: Wire, stretches: Sequence[Stretch]) -> list[bytes]:
    fold = Fold(wire.begin(), wire.exposure)
    return [sse_framed(fold.payloads(stretch)).encode() for stretch in stretches]


def _speech(size: int) -> list[Stretch]:
    started = ev.RunStarted(
        index=0,
        run_id=RUN,
        agent="a",
        thread_id=ThreadId("t"),
        root_run_id=RUN,
        prompt="p",
        tool_call_limit=64,
    )
    opened = ev.RoundStarted(index=1, run_id=RUN, round=1, attempt=1, model="m")
    begun: list[Stretch] = [EntryStretch(seq=0, index=0, entries=(started, opened), at_s=0.0)]
    return begun + [
        SpeechStretch(seq=2 + at, index=2 + at, kind=TEXT, key=1, texts=TEXTS[at : at + size], at_s=0.0)
        for at in range(0, len(TEXTS), size)
    ]


def _check(wire: Wire, stretches: Sequence[Stretch]) -> None:
    floor, ours = b"".join(_floor(wire, A_READ)), b"".join(_ours(wire, stretches))
    if not ours.endswith(floor):
        said = [json.loads(frame[6:]) for frame in ours.split(b"\n\n")[:4] if frame]
        raise LostTextError(f"wire {wire.name!r} does not say what its floor says; it begins {said!r:.300}")
