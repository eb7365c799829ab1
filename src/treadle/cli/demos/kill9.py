"""The demonstration of a kill: while a run streams its server is killed with -9, and the reader goes on at another one.

The other one takes the file over. In: how many rounds, and a seed. Out: what the readers got against the script, and
where the kills hit. A round is a new run. A kill that came when the run had ended is told and counts for nothing.

Source: docs/demos.md.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from treadle.adapters.system import SystemClock
from treadle.cli.demos import loom
from treadle.cli.demos.counting import NO_DIFFERENCE, Counts
from treadle.cli.demos.folding import STEP_UNITS
from treadle.cli.demos.kill_points import Aim, KillPoint, aims, different
from treadle.cli.demos.outcome import DemoFailedError, Teller
from treadle.cli.demos.reader import Reader, asked
from treadle.cli.demos.server_process import ServerProcess

SERVER: Final = "treadle.cli.demos.loom:server"
ENOUGH: Final = 0.8
"""What share of the rounds must have hit a place of its own, or little is shown."""
PLACES: Final = 120
"""Beyond so many different places no more are asked for: a run has not many more."""


@dataclass(slots=True, kw_only=True)
class Round:
    """One run, the kills that hit it, and what its reader got."""

    reader: Reader
    points: list[KillPoint] = field(default_factory=list)
    late: int = 0
    """Kills that came when the run had ended."""
    counts: Counts = NO_DIFFERENCE
    broken: list[str] = field(default_factory=list)


def kill9(*, folder: Path, teller: Teller, rounds: int, seed: int, served: str = SERVER) -> list[str]:
    """Kill, come back and count. Gives what was broken, a line each.

    Args:
        served: What the servers serve: the server of `loom`, or one that says the same.
    Raises:
        DemoFailedError: It cannot go on.
    """
    began_s = time.monotonic()
    with ExitStack() as processes:
        kills = Kills(folder=folder, served=served, processes=processes)
        server = kills.new_server()
        calm = kills.calm(server)
        teller.tell(
            f"an undisturbed run: {len(calm.reader.heard)} events, {len(loom.TEXT)} characters of text",
            events=len(calm.reader.heard),
            characters=len(loom.TEXT),
        )
        # The last event is the end itself, and nobody is killed in mid-answer behind it.
        planned = aims(rounds, run_units=calm.reader.folding.units - STEP_UNITS, chance=Random(seed))
        done: list[Round] = []
        for at, aimed in enumerate(planned, start=1):
            one, server = kills.round(server, f"{seed}-{at}", aimed)
            done.append(one)
            _tell_round(teller, at, one)
    found = Found(calm=calm, rounds=done, seed=seed, seconds=time.monotonic() - began_s)
    found.tell(teller)
    return found.broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What all rounds came to, and the run that nobody disturbed."""

    calm: Round
    rounds: Sequence[Round]
    seed: int
    seconds: float

    @property
    def points(self) -> list[KillPoint]:
        """Where the kills hit."""
        return [point for one in self.rounds for point in one.points]

    @property
    def counts(self) -> Counts:
        """What is missing or came again, over all."""
        return sum((one.counts for one in (self.calm, *self.rounds)), NO_DIFFERENCE)

    @property
    def runs(self) -> int:
        """How many different runs the rounds were."""
        return len({one.reader.run_id for one in self.rounds})

    @property
    def broken(self) -> list[str]:
        """What was broken, a line each."""
        broken = [said for one in (self.calm, *self.rounds) for said in one.broken]
        if self.runs != len(self.rounds):
            broken.append(f"{len(self.rounds)} rounds were to be as many runs, and were {self.runs}")
        found, wanted = different(self.points), max(1, min(PLACES, int(len(self.rounds) * ENOUGH)))
        if found < wanted:
            broken.append(f"the kills hit {found} different points while runs ran; less than {wanted} show too little")
        return broken

    def tell(self, teller: Teller) -> None:
        """Say it."""
        points = self.points
        phases = {phase: sum(point.phase == phase for point in points) for phase in sorted({p.phase for p in points})}
        events = sum(len(one.reader.heard) for one in self.rounds)
        teller.tell("kills by phase: " + ", ".join(f"{phase} {count}" for phase, count in phases.items()))
        teller.tell(
            f"{self.runs} runs, {events} events, {len(points)} kills at {different(points)} different points, "
            f"seed {self.seed}, {self.seconds:.1f} s",
        )
        teller.tell(
            f"found: {self.counts.words}",
            runs=self.runs,
            events=events,
            kills=len(points),
            late_kills=sum(one.late for one in self.rounds),
            kill_points=different(points),
            phases=phases,
            seed=self.seed,
            seconds=round(self.seconds, 1),
            broken=self.broken,
            **asdict(self.counts),
        )


@dataclass(slots=True, kw_only=True)
class Kills:
    """Runs that lose their servers, one after another, over one file.

    Args:
        processes: Ends all servers at its end.
    """

    folder: Path
    served: str
    processes: ExitStack
    _clock: SystemClock = field(default_factory=SystemClock)

    def new_server(self) -> ServerProcess:
        """Another process that takes the file over, which nobody may have.

        Raises:
            DemoFailedError: It does not come up.
        """
        return self.processes.enter_context(ServerProcess(self.served, folder=self.folder))

    def calm(self, server: ServerProcess) -> Round:
        """A run that nobody disturbs, to know how long one is.

        Raises:
            DemoFailedError: It has no end.
        """
        one, _ = self.round(server, "calm", ())
        return one

    def round(self, server: ServerProcess, name: str, aimed: Sequence[Aim]) -> tuple[Round, ServerProcess]:
        """A new run, killed at what is aimed at. Gives it, and the server that works now.

        Raises:
            DemoFailedError: It has no end, or a server ends by itself.
        """
        reader = Reader(start=_start(name))
        one = Round(reader=reader)
        killed_s: list[float] = []
        reader.connect(server.url)
        for aim in aimed:
            waited_s = _wait_for(reader, aim)
            if reader.is_over or server.has_ended:
                break
            killed_s.append(self._clock.now_s())
            server.kill()
            reader.read_on()
            folding = reader.folding
            one.points.append(
                KillPoint(round=folding.round, phase=folding.phase, index=reader.last_index, waited_ms=waited_s * 1000)
            )
            server = self.new_server()
            reader.connect(server.url)
        self._read_to_the_end(server, reader)
        view = asked(server.url, f"/v1/runs/{reader.run_id}")
        in_time = sum(at_s < view["changed_s"] for at_s in killed_s)
        one.late = len(killed_s) - in_time
        del one.points[in_time:]
        self._compare(server, one, state=view["state"], stored=view["text"])
        return one, server

    def _read_to_the_end(self, server: ServerProcess, reader: Reader) -> None:
        reader.read_on()
        while not reader.is_over:
            if server.has_ended:
                raise DemoFailedError(f"a server ended by itself: {server.last_words}")
            at = reader.cursor
            reader.connect(server.url)
            reader.read_on()
            if reader.cursor == at:
                raise DemoFailedError(f"the run {reader.run_id} has no more events and no end, after cursor {at!r}")

    def _compare(self, server: ServerProcess, one: Round, *, state: str, stored: str) -> None:
        reader = one.reader
        one.counts = reader.counts(loom.TEXT)
        if not one.counts.is_clean:
            one.broken.append(f"run {reader.run_id}: {one.counts.words}")
        if state != "done":
            one.broken.append(f"run {reader.run_id} is {state!r}, not 'done'")
        if stored != loom.TEXT:
            one.broken.append(f"run {reader.run_id}: what is stored is not what the script says")
        again = Reader(run_id=reader.run_id)
        again.connect(server.url)
        again.read_on()
        if again.heard != reader.heard:
            one.broken.append(f"run {reader.run_id}: whoever reads it now gets other events than its reader got")


def _tell_round(teller: Teller, at: int, one: Round) -> None:
    kills = "; then ".join(point.words for point in one.points) or "not while it ran, it had ended before"
    late = f"; {one.late} too late, not counted" if one.late else ""
    wrong = "" if one.counts.is_clean else f"; {one.counts.words}"
    teller.tell(
        f"{at:3}. killed: {kills}{late}{wrong}",
        round=at,
        run_id=one.reader.run_id,
        events=len(one.reader.heard),
        kills=[asdict(point) for point in one.points],
        late_kills=one.late,
        **asdict(one.counts),
    )


def _start(name: str) -> dict[str, str]:
    """A start that may be sent again: whoever was killed before the answer came has stored it, or has not."""
    return {"agent": loom.NAME, "prompt": loom.PROMPT, "key": f"kill9-{name}"}


def _wait_for(reader: Reader, aim: Aim) -> float:
    """Read until the run has come so far, and wait a little. Gives how long was waited behind the last event."""
    while reader.folding.units < aim.units and not reader.is_over:
        if reader.next() is None:
            break
    wait_s = aim.wait_s(reader.folding.phase)
    time.sleep(wait_s)
    return wait_s
