"""The demonstration of approvals, told: an attack a line, and how often the tool ran.

Source: docs/cli.md.
"""

from __future__ import annotations

import asyncio

from treadle.app.approvals_demo import Shown, shown
from treadle.cli.diagnostics import complain
from treadle.cli.exits import ExitCode
from treadle.cli.output import for_people

SHOWS = "demo: a tool that needs leave, ten ways to get round it, and one that is right"
UNSOUND = "error: an attack was not refused as it has to be"


def show_approvals() -> ExitCode:
    """Try everything. Error unless each attack was refused, and the tool ran once."""
    complain(SHOWS)
    found = asyncio.run(shown())
    with for_people() as output:
        asyncio.run(output.send(told(found)))
    if not found.is_sound:
        complain(UNSOUND)
        return ExitCode.ERROR
    return ExitCode.DONE


def told(found: Shown) -> str:
    """A line an attack, and the count."""
    lines = [
        f"{'refused' if attack.is_refused else 'FAILED ':<8} {attack.tried:<36} {attack.came}"
        for attack in found.attacks
    ]
    return "\n".join([*lines, f"the tool ran {found.times_run} time{'' if found.times_run == 1 else 's'}"]) + "\n"
