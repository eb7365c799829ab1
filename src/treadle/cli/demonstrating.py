"""The demonstration: a fixed question, answered by the model on this machine with a real tool."""

from __future__ import annotations

import asyncio

from treadle.app import demo
from treadle.app.agent import Agent
from treadle.cli.answering import answer_once
from treadle.cli.conclusion import told
from treadle.cli.diagnostics import complain
from treadle.cli.exits import ExitCode
from treadle.cli.views import View

SHOWS = f"demo: a model on this machine, without key or network, must use a tool to answer: {demo.QUESTION}"
NO_TOOL = "error: the demo's tool did not run"


def demonstrate(view: View, *, agent: Agent) -> ExitCode:
    """Ask the demo's question and show the run. Error unless a tool ran and the run is done."""
    complain(SHOWS)
    answered = asyncio.run(answer_once(agent, demo.QUESTION, view))
    code = told(answered)
    if code is ExitCode.DONE and not demo.tool_ran(answered.result):
        complain(NO_TOOL)
        return ExitCode.ERROR
    return code
