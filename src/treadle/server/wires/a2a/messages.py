"""Messages: one that begins a task, and one that answers a task which waits.

In: a message as it was sent, and how. Out: the task when it rests, the task at once, or a stream of it. A message of
its own begins a run in the thread that its context names; one on a task is what its user says to the task's pauses, and
can be nothing else.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response

from treadle.codec.foreign import json_text
from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.parse import Sent
from treadle.projections.a2a.project import NOWHERE
from treadle.projections.a2a.replies import answers_of
from treadle.server.access.principal import Action
from treadle.server.start_request import StartRequest
from treadle.server.starting import started
from treadle.server.wires.a2a.speaking import Spoken
from treadle.server.wires.a2a.targets import notify
from treadle.server.wires.a2a.tasks import as_it_stands, found, streamed_task
from treadle.server.wires.a2a.telling import Told, begun, from_here
from treadle.server.wires.streaming import collected
from treadle.values.exposure import is_hidden
from treadle.values.runs import RunState

LEAVING: Final = "continue"
"""What the leaving of a task's last reader does: nothing. A task is stopped by whoever asks for that."""


async def send(spoken: Spoken, sent: Sent) -> Response:
    """A message that is answered with its task: when that rests, or at once."""
    run, told = await _taken(spoken, sent, {"only_whole": sent.waits})
    if not sent.waits:
        return spoken.body(told.first or await _now(spoken, run, sent))
    said = await collected(spoken.visit, run.run_id, spoken.folded(told.telling))
    return spoken.body(said[-1] if said else None)


async def stream(spoken: Spoken, sent: Sent) -> Response:
    """A message that is answered with a stream of its task."""
    # A stream that has no room is refused before anything was started or answered.
    with spoken.visit.parts.admission.reader(spoken.visit.entry.principal) as place:
        run, told = await _taken(spoken, sent, {"details": spoken.asks_for_details(sent.extensions)})
        return await streamed_task(spoken, run, told, place=place)


async def _taken(spoken: Spoken, sent: Sent, how: Mapping[str, Any]) -> tuple[RunState, Told]:
    """What becomes of a message: the run that it began or answered, and how that is told to its sender."""
    how = {**how, "history_length": sent.history_length}
    spoken.visit.parts.check_open()
    if sent.push is not None:
        await spoken.mounted.pushes.check(spoken.visit.parts, sent.push)
    if sent.task_id:
        run, settled = await _replied(spoken, sent)
        told = from_here(run, spoken.telling(run, **how), settled=settled)
    else:
        run, told = await _begun(spoken, sent, how)
    if sent.push is not None:
        notify(spoken, run, sent.push)
    return run, told


async def _begun(spoken: Spoken, sent: Sent, how: Mapping[str, Any]) -> tuple[RunState, Told]:
    """The run that a message began; that which the same message had begun, where it comes again."""
    visit = spoken.visit
    visit.check(Action.START, None)
    start = await started(
        visit,
        StartRequest(
            agent=spoken.agent,
            prompt=sent.prompt,
            thread_id=sent.context_id or None,
            key=_key(spoken, sent),
            on_disconnect=LEAVING,
        ),
    )
    run = await visit.runs.state(start.run_id)
    if not start.is_new:
        return run, from_here(run, spoken.telling(run, **how))
    return run, begun(run, spoken.telling(run, **how), sent.prompt)


async def _replied(spoken: Spoken, sent: Sent) -> tuple[RunState, frozenset[str]]:
    """The run whose pauses a message answered; and, where others are open, those that are answered now."""
    run = await found(spoken, sent.task_id, Action.ANSWER)
    if sent.context_id and sent.context_id != run.thread_id:
        raise FaultError(Fault.INVALID_PARAMS, "the task is of another context", pointer="/message/contextId")
    if run.is_final:
        raise FaultError(Fault.UNSUPPORTED_OPERATION, "the task is over: send a message of its own in its context")
    runs = spoken.visit.runs
    task = await as_it_stands(spoken, run, spoken.telling(run, after=NOWHERE))
    tokens: dict[str, str] = {pause.interrupt_id: pause.token for pause in await runs.pauses(run.run_id)}
    open_ = [pause for pause in task.pending if pause.interrupt_id in tokens]
    if not open_:
        raise FaultError(Fault.UNSUPPORTED_OPERATION, "the task is at work and waits for nothing")
    shown = [pause for pause in open_ if not is_hidden(pause)]
    if not shown:
        raise FaultError(Fault.UNSUPPORTED_OPERATION, "the task waits for a decision that is taken elsewhere")
    answers = answers_of(sent, shown, tokens)
    hidden = {pause.interrupt_id for pause in open_ if is_hidden(pause)}
    if any(answer.interrupt_id in hidden for answer in answers):
        raise FaultError(Fault.UNSUPPORTED_OPERATION, "that decision is taken elsewhere")
    taken = await runs.answer(run.run_id, answers, principal=spoken.visit.entry.principal.name)
    settled = frozenset(pause.interrupt_id for pause in task.pending) - frozenset(taken.open) if taken.open else ()
    return await runs.state(run.run_id), frozenset(settled)


async def _now(spoken: Spoken, run: RunState, sent: Sent) -> str:
    telling = spoken.telling(run, after=NOWHERE, history_length=sent.history_length)
    return (await as_it_stands(spoken, run, telling)).frame()


def _key(spoken: Spoken, sent: Sent) -> str:
    """What makes two messages the same: id, context and words. A client that heard nothing may send it again."""
    words = hashlib.sha256(sent.prompt.encode(errors="surrogatepass")).hexdigest()
    return json_text(["a2a", spoken.agent, sent.context_id, sent.message_id, words])
