"""The demonstration of a closed tab: a reader leaves in mid-answer, comes back, and sees every character once.

In: nothing. Out: what the reader got, and what the run said while nobody read it.

Source: docs/demos.md.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Final

from treadle.cli.demos import loom
from treadle.cli.demos.outcome import DemoFailedError, Teller
from treadle.cli.demos.reader import LONGEST_S, Reader, asked
from treadle.cli.demos.server_process import ServerProcess

SERVER: Final = "treadle.cli.demos.loom:server"
LEAVES_AT: Final = len(loom.TEXT) // 3
"""Characters that the reader has when it leaves."""
AWAY: Final = 20
"""Events that the run goes on by meanwhile."""
LOOK_S: Final = 0.02


def tab(*, folder: Path, teller: Teller, served: str = SERVER) -> list[str]:
    """Leave, come back and count. Gives what was broken, a line each.

    Args:
        served: What the server serves: the server of `loom`, or one that says the same.
    Raises:
        DemoFailedError: It cannot go on.
    """
    with ServerProcess(served, folder=folder) as server:
        reader = Reader(start={"agent": loom.NAME, "prompt": loom.PROMPT})
        reader.connect(server.url)
        while len(reader.folding.text) < LEAVES_AT and reader.next() is not None:
            pass
        reader.leave()
        left_at, had = reader.last_index, len(reader.folding.text)
        teller.tell(f"left with {had} of {len(loom.TEXT)} characters, at index {left_at}", left_at=left_at)
        went_on = _went_on(server.url, reader)
        teller.tell(f"while nobody read, the run went on by {went_on} events", events_while_away=went_on)
        reader.connect(server.url)
        reader.read_on()
        view = asked(server.url, f"/v1/runs/{reader.run_id}")
    counts = reader.counts(loom.TEXT)
    broken = [] if counts.is_clean else [f"the reader's text is not the script's: {counts.words}"]
    if not reader.is_over:
        broken.append("the reader that came back was not given the end")
    if view["state"] != "done":
        broken.append(f"the run is {view['state']!r}, not 'done': leaving has stopped it")
    if view["text"] != loom.TEXT:
        broken.append("what is stored is not what the script says")
    got = len(reader.folding.text) - had
    teller.tell(f"came back, and was given {got} more characters, to the end of a run that is {view['state']!r}")
    teller.tell(f"found: {counts.words}", **asdict(counts), state=view["state"], broken=broken)
    return broken


def _went_on(url: str, reader: Reader) -> int:
    """Wait until the run has gone on without its reader. Gives by how many events."""
    until_s = time.monotonic() + LONGEST_S
    while time.monotonic() < until_s:
        view = asked(url, f"/v1/runs/{reader.run_id}")
        went_on: int = view["events"] - 1 - reader.last_index
        if went_on >= AWAY or view["state"] in ("done", "error", "cancelled"):
            return went_on
        time.sleep(LOOK_S)
    raise DemoFailedError(f"the run did not go on within {LONGEST_S:g} s of its reader's leaving")
