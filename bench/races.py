"""What runs against what: Treadle and its floors on the same work, and the bound of each pair.

In: an event-loop runner. Out: races and counts for the gate. What comes out of a run is compared with what went in
before its time is taken, so that nothing is fast by losing text.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, Final

from contender import Contender
from contenders.floor import ONE_LEAD, TWO_LEADS, Floor, FloorPassthrough
from contenders.treadle_ import Series, Treadle
from counters import counted
from fast_filter import TagFilter
from provider_floor import N as PROVIDER_CHUNKS
from provider_floor import floor as provider_floor
from provider_floor import pieces as provider_pieces
from straight_line import StraightLine
from verdicts import Race, Row
from workload import Script, build, deltas

from treadle.adapters.models.openai_chat.stream import ChatStream

ROOT: Final = Path(__file__).resolve().parents[1]
DELTAS: Final = 5_000
LAP_DELTAS: Final = 8 * DELTAS
"""A lap repeats a short run, so that the caches that a collection has emptied are full for most of it."""
LAP_ROUNDS: Final = 100
LAP_RUNS: Final = 50
COUNTED_DELTAS: Final = 2_000
CHARS: Final = 480_000
CHUNK_CHARS: Final = 12

THINK: Final = "treadle: think"
THREE: Final = "treadle: think, block, citation"
FOUR: Final = "treadle: think, block, citation, redact"

_ORDINARY_IMPORTS: Final = "import asyncio, json, dataclasses"


class LostTextError(Exception):
    """What came out is not what went in: there is nothing to time."""


def cpu_s(play: Callable[[], object]) -> float:
    """CPU seconds of one call, on a heap that is collected before it and by the ordinary rules while it runs."""
    gc.collect()
    begun = time.process_time()
    play()
    return time.process_time() - begun


class RunRaces:
    """Whole runs, read to their end."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._floor, self._ours = FloorPassthrough(), Treadle()

    def races(self) -> Iterator[Race]:
        """An agent run against the model alone, and against itself at another size."""
        for name, workload, most in (
            ("text", "text", 3.2),
            ("thinking", "think", 3.2),
            ("tools", "tools", 3.8),
            ("text, yielding model", "text+yield", 2.2),
        ):
            script = self._checked(build(workload, DELTAS))
            yield self._race(f"L1 {name}, x bare model", most, self._floor, self._ours, script)
        tools, straight = self._checked(build("tools", DELTAS)), StraightLine()
        yield self._race("L1 tools, x straight line", 1.6, straight, self._ours, tools)
        yield self._race("L1 tools, straight line x bare model", None, self._floor, straight, tools)
        yield self._against_itself("L1 cost at 4N over N", 1.15, "delta", build("text"), build("text", 4 * DELTAS))
        few, many = build("rounds20"), build("rounds100")
        yield self._against_itself("L1 tool round, 100 over 20", 1.3, "round", few, many)
        once = self._checked(build("once"))
        yield Race(
            name="L1 run of one delta, x bare model",
            most=None,
            floor=self._lap(self._floor, once),
            ours=self._lap(self._ours, once),
            unit="run",
            floor_units=LAP_RUNS,
            our_units=LAP_RUNS,
        )

    def counts(self) -> Iterator[Row]:
        """Calls, callbacks and tasks a delta; bounded for text."""
        for workload in ("text", "think", "tools"):
            script = build(workload, COUNTED_DELTAS)
            is_bounded = workload == "text"
            found = counted(self._runner, lambda script=script: _drained(self._ours, script))
            yield Row(
                name=f"L1 {workload}, Python calls a delta",
                value=found.calls / script.n,
                most=8.0 if is_bounded else None,
            )
            if is_bounded:
                yield Row(name="L1 text, loop callbacks a delta", value=found.callbacks / script.n, most=1.0)
                # A task a run is no task a delta.
                yield Row(name="L1 text, tasks a delta", value=found.tasks / script.n, most=0.0, grain=0.05)

    def _race(self, name: str, most: float | None, floor: Contender, ours: Contender, script: Script) -> Race:
        return Race(
            name=name,
            most=most,
            floor=self._lap(floor, script),
            ours=self._lap(ours, script),
            unit="delta",
            floor_units=LAP_DELTAS,
            our_units=LAP_DELTAS,
        )

    def _against_itself(self, name: str, most: float, unit: str, small: Script, large: Script) -> Race:
        units = LAP_ROUNDS if small.calls else LAP_DELTAS
        return Race(
            name=name,
            most=most,
            floor=self._lap(self._ours, self._checked(small)),
            ours=self._lap(self._ours, self._checked(large)),
            unit=unit,
            floor_units=units,
            our_units=units,
        )

    def _lap(self, contender: Contender, script: Script) -> Callable[[], float]:
        if script.name == "once":
            repeats = LAP_RUNS
        elif script.name.startswith("rounds"):
            repeats = LAP_ROUNDS // script.calls
        else:
            repeats = LAP_DELTAS // script.n

        def play() -> None:
            for _ in range(repeats):
                self._runner.run(_drained(contender, script))

        return lambda: cpu_s(play)

    def _checked(self, script: Script) -> Script:
        for contender in (self._floor, self._ours):
            events = self._runner.run(_collected(contender, script))
            text = "".join(filter(None, map(contender.text_of, events)))
            thought = "".join(filter(None, map(contender.thought_of, events)))
            if (text, thought) != (script.text, script.thought):
                raise LostTextError(f"{contender.name} did not give back the text of workload {script.name!r}")
        return script


async def _drained(contender: Contender, script: Script) -> None:
    async for _ in contender.run(script):
        pass


async def _collected(contender: Contender, script: Script) -> list[Any]:
    return [event async for event in contender.run(script)]


def filter_races() -> Iterator[Race]:
    """Filters in series against the least that looks for as many first characters."""
    prose = _prose(CHARS)
    near_misses = prose[: CHARS // 8].replace(" ", " <b> [1] ")
    floors, ours = Floor().filters(), Treadle().filters()
    for name, series, floor, bounds in (
        ("think", ours[THINK], floors[ONE_LEAD], (2.0, 2.5)),
        ("think, block, citation", ours[THREE], floors[TWO_LEADS], (2.0, 2.5)),
        # A key may begin with any character, so redaction looks at every word: no floor row does that.
        ("all four", ours[FOUR], floors[TWO_LEADS], (None, None)),
    ):
        for case, text, most in zip(("tag-free", "near-miss"), (prose, near_misses), bounds, strict=True):
            chunks = _chunks(text)
            _check_lossless(name, series, chunks)
            yield Race(
                name=f"L4 {name}, {case}, x floor",
                most=most,
                floor=_feeding(floor, chunks),
                ours=_feeding(series, chunks),
                unit="chunk",
                floor_units=len(chunks),
                our_units=len(chunks),
            )
    for name, series in (("think", ours[THINK]), ("think, block, citation", ours[THREE])):
        small, large = (_chunks(series.opener + _prose(kib * 1024)) for kib in (64, 256))
        yield Race(
            name=f"L4 {name}, unterminated 256 KiB over 64 KiB",
            most=5.0,
            floor=_feeding(series, small),
            ours=_feeding(series, large),
            unit="text",
        )


def _prose(chars: int) -> str:
    text = "".join(deltas(DELTAS))
    return (text * (chars // len(text) + 1))[:chars]


def _chunks(text: str) -> list[str]:
    return [text[at : at + CHUNK_CHARS] for at in range(0, len(text), CHUNK_CHARS)]


def _check_lossless(name: str, series: Series, chunks: list[str]) -> None:
    made = series()
    shown = [made.feed(chunk) for chunk in chunks]
    if "".join(filter(None, [*shown, made.flush()])) != "".join(chunks):
        raise LostTextError(f"filters {name} did not give back a text that has no tag")


def _feeding(make: Series | Callable[[], TagFilter], chunks: list[str]) -> Callable[[], float]:
    def lap() -> float:
        made = make()
        feed = made.feed
        shown: list[str | None] = []
        keep = shown.append

        def play() -> None:
            for chunk in chunks:
                keep(feed(chunk))
            keep(made.flush())

        return cpu_s(play)

    return lap


def provider_races(runner: asyncio.Runner) -> Iterator[Race]:
    """A provider's bytes to pieces, against a split and a typed decode of the same bytes."""
    for events_a_read in (1, 10):
        for found in (runner.run(provider_floor(events_a_read)), runner.run(_read_by_adapter(events_a_read))):
            if found != PROVIDER_CHUNKS:
                raise LostTextError(f"{found} deltas were read of {PROVIDER_CHUNKS} chunks")
        yield Race(
            name=f"provider chunk to delta, {events_a_read} a read, x floor",
            most=2.0,
            floor=_running(runner, provider_floor, events_a_read),
            ours=_running(runner, _read_by_adapter, events_a_read),
            unit="delta",
            floor_units=PROVIDER_CHUNKS,
            our_units=PROVIDER_CHUNKS,
        )


async def _read_by_adapter(events_a_read: int) -> int:
    stream = ChatStream()
    found = 0
    async for data in provider_pieces(events_a_read):
        for item in stream.feed(data):
            if type(item) is tuple:
                found += 1
    return found


def _running(
    runner: asyncio.Runner, read: Callable[[int], Coroutine[Any, Any, int]], events_a_read: int
) -> Callable[[], float]:
    return lambda: cpu_s(lambda: runner.run(read(events_a_read)))


def import_race() -> Race:
    """`import treadle` against what most programs import anyway, each in an interpreter of its own."""
    sys.path.append(str(ROOT))
    from scripts.import_ratio import seconds  # noqa: PLC0415 (the folder is on no path before this line)

    ours = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\nimport treadle"
    return Race(
        name="import treadle, x import asyncio, json, dataclasses",
        most=2.5,
        floor=lambda: seconds(_ORDINARY_IMPORTS),
        ours=lambda: seconds(ours),
        unit="start",
    )
