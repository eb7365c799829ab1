"""What a client of AG-UI has not: the messages of its thread's earlier runs, from their logs.

In: a run, and the messages that a client holds. Out: what it can be told of the runs before.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from treadle.projections.agui.messages import Told
from treadle.projections.agui.project import AguiRun
from treadle.projections.agui.telling import Telling
from treadle.server.access.principal import Action
from treadle.server.feeds import PAGE
from treadle.server.folded_feed import Fold
from treadle.server.visit import Visit
from treadle.server.wires.agui_telling import message_of
from treadle.values.exposure import Exposure
from treadle.values.runs import RunState

RUNS: Final = 50
"""Earlier runs of a thread that are looked at: the latest."""
_NEVER: Final = 2**62
"""The index behind which a reader is told something who wants the messages alone."""


async def with_missed(visit: Visit, held: Sequence[Told], run: RunState, *, exposure: Exposure) -> tuple[Told, ...]:
    """The messages that a client holds, whole, and those of the runs before this one that came after all of them.

    A client puts a message that it has not behind those that it has. So what is older than anything it holds is not
    told: it would stand in the wrong place.
    """
    known = frozenset(named for named, _ in held)
    missed: list[list[Told]] = []
    if not _holds(known, run):
        for earlier in await visit.runs.runs(thread_id=run.thread_id, before=run.run_id, limit=RUNS):
            visit.check(Action.READ, earlier)
            missed.append(await _messages_of(visit, earlier, exposure))
            if _holds(known, earlier):
                break
    whole = dict(held)
    for messages in reversed(missed):
        # The first is what the user said. Of that, the client may have more than text.
        whole.update(messages[1:] if messages and messages[0][0] in known else messages)
    return tuple(whole.items())


def _holds(known: Collection[str], run: RunState) -> bool:
    """Whether a client holds anything of what was said in a run."""
    return message_of(run) in known or any(named.startswith(f"{run.run_id}.") for named in known)


async def _messages_of(visit: Visit, run: RunState, exposure: Exposure) -> list[Told]:
    reading = await visit.runs.reading(run.run_id)
    telling = Telling(thread_id="", run_id="", after=_NEVER, user_message_id=message_of(run))
    projection = AguiRun(run.run_id, telling)
    fold = Fold(projection, exposure)
    while fold.at < run.next_index - 1:
        before = fold.at
        for stretch in await reading.after(fold.at, limit=PAGE):
            while fold.at < stretch.index + stretch.events - 1:
                fold.payloads(stretch)
        if fold.at == before:
            break
    return projection.messages
