"""One question, answered by a run that a store keeps: it can be looked at afterwards, and it outlives this process.

In: an agent, a question, a store's file. Out: the run shown as it comes, like one that nobody keeps. A stop signal
cancels it, and so does an output that nobody reads any more; a process that is killed leaves it to the next one that
has its agent and opens the store.

Source: docs/cli.md.
"""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.cli.answering import Answered, has_result, stopped_by
from treadle.cli.diagnostics import complain
from treadle.cli.foreign_text import line
from treadle.cli.output import OutputError, ReaderGoneError
from treadle.cli.run_tailing import shown_as
from treadle.cli.stopping import stop_signals
from treadle.cli.store_choice import SCHEME, sqlite
from treadle.cli.views import Form, View
from treadle.runtime.result import result_of
from treadle.values.events import CLOSING_TYPES, ClosingEvent

DRAIN_S = 0.0
"""Seconds that other runs of the agent, which this process took up, have to end: they are given back as they are."""


async def answer_kept(
    agent: Agent, question: str, view: View, *, form: Form, path: Path, thread_id: str | None
) -> Answered:
    """Run `agent` on `question` in the store of this file, which is made where there is none, and show it.

    Raises:
        CommandMisuseError: This Python has no SQLite.
        PlanError: The agent cannot run.
        StoreOwnedError: Another process has the store.
        ThreadBusyError: The thread has a live run.
        ReaderGoneError: Nobody reads the output any more. The run was cancelled.
        OutputError: The output cannot be written. The run was cancelled.
    """
    sqlite()
    async with Runner([agent], store=f"{SCHEME}{path}", drain_s=DRAIN_S) as runner:
        with stop_signals() as stop:
            run = await runner.start(agent.name, question, thread_id=thread_id)
            complain(f"kept as {line(run.run_id)} of thread {line(run.thread_id)} in {str(path)!r}")
            async with stopped_by(stop, view.output, lambda: runner.cancel(run.run_id)):
                closing, tool_results = await shown_segment(runner, run.run_id, view, form=form)
        result = result_of(closing, thread_id=run.thread_id, messages=())
        return Answered(result=result, failure=None, tool_results=tool_results, terminated=stop.terminated)


async def shown_segment(
    runner: Runner, run_id: str, view: View, *, form: Form, after: str | None = None
) -> tuple[ClosingEvent, int]:
    """Show a run after a cursor to the end of its segment.

    Shape:  its closing event, and how many calls came to a result of their own.
    """
    show = shown_as(form, view.shows)
    tool_results = 0
    try:
        async with aclosing(runner.watch(run_id, after=after, to_end_of="segment")) as records:
            async for record in records:
                tool_results += has_result(record.event)
                await view.output.send(show(record))
    except (ReaderGoneError, OutputError):
        await runner.cancel(run_id)
        await runner.wait(run_id)
        raise
    assert isinstance(record.event, CLOSING_TYPES)
    return record.event, tool_results
