"""The demonstration of approvals: ten ways to get round a person, all refused, and one that is right.

In: nothing. Out: what each was refused with, and how often the tool ran, which is once.

Source: docs/demos.md.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from treadle.cli.demos.attacks import Shown, shown
from treadle.cli.demos.outcome import Teller


def approvals(*, folder: Path, teller: Teller) -> list[str]:  # noqa: ARG001 (nothing is kept in a file)
    """Try everything, and then answer as it is right. Gives what was broken, a line each."""
    found = asyncio.run(shown())
    for attack in found.attacks:
        word = "refused" if attack.is_refused else "NOT REFUSED"
        teller.tell(
            f"{word}: {attack.tried:<36} {attack.came}",
            attack=attack.tried,
            expected=attack.expected,
            came=attack.came,
        )
    broken = problems(found)
    times = f"{found.times_run} time{'' if found.times_run == 1 else 's'}"
    teller.tell(f"found: the tool ran {times}", attacks=len(found.attacks), times_run=found.times_run, broken=broken)
    return broken


def problems(found: Shown) -> list[str]:
    """What was not refused as it has to be, and a count that is not 1."""
    broken = [
        f"{attack.tried} came to {attack.came}, not {attack.expected}"
        for attack in found.attacks
        if not attack.is_refused
    ]
    return broken + ([] if found.times_run == 1 else [f"the tool ran {found.times_run} times, not once"])
