"""The command `treadle` and its subcommands: words on a command line to a call, and an exit code.

Source: docs/cli.md.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from treadle._version import __version__
from treadle.app.doctor import checks as all_checks
from treadle.cli import lines
from treadle.cli.answering import answer_once
from treadle.cli.chatting import chat as chat_with
from treadle.cli.checkup import report, verdict
from treadle.cli.choosing import Choice, chosen_agent
from treadle.cli.conclusion import concluded, told
from treadle.cli.conformance_command import commands as conformance_commands
from treadle.cli.demo_commands import commands as demo_commands
from treadle.cli.diagnostics import complain
from treadle.cli.exits import CommandMisuseError, ExitCode
from treadle.cli.kept_answering import answer_kept
from treadle.cli.output import for_people, is_terminal
from treadle.cli.pause_commands import commands as pause_commands
from treadle.cli.replay_command import commands as replay_commands
from treadle.cli.serve_command import commands as serve_commands
from treadle.cli.store_choice import path_of
from treadle.cli.store_commands import commands as store_commands
from treadle.cli.views import form, looking

# Depending on its release typer builds on click or on a copy of its own; what it exports leads to either.
_USAGE_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException" and issubclass(kind, Exception)
)

app = typer.Typer(
    help="Run an agent and watch it: for people, in a pipe, or as events.",
    epilog="Exit codes: 0 done, 1 error, 2 misuse, 3 paused, 130 cancelled.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

AgentOption = Annotated[
    str | None, typer.Option("--agent", metavar="MODULE:NAME", help="The agent; a plain assistant without this.")
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="MODEL", help="local, openai-chat:NAME, scripted:FILE; the agent's own, or local, without."
    ),
]
BaseUrlOption = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="Where the model of --model is served.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Stream events, one JSON object a line, and nothing else.")]
EventsOption = Annotated[bool, typer.Option("--events", help="Kernel events, one JSON object a line, nothing else.")]
TimeoutOption = Annotated[
    float | None, typer.Option("--timeout", metavar="SECONDS", help="The longest a run may take.")
]
DebugOption = Annotated[bool, typer.Option("--debug", "-v", help="Show tracebacks and logs on stderr.")]


def main(arguments: list[str]) -> int:
    """Run the command on these arguments. Returns the exit code."""
    if sys.stdout is None:
        complain("error: the output cannot be written: standard output is closed")
        return ExitCode.ERROR
    lines.read_anything()
    try:
        code = app(arguments, prog_name="treadle", standalone_mode=False)
    except _USAGE_ERROR as wrong:
        complain(f"treadle: {_one_line(wrong)}")
        return ExitCode.MISUSE
    except typer.Abort:
        return ExitCode.CANCELLED
    return code if isinstance(code, int) else ExitCode.DONE


@app.callback(invoke_without_command=True)
def treadle(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Run an agent and watch it: for people, in a pipe, or as events."""
    if version:
        print(f"treadle {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        complain("treadle: what should it do? run, chat, serve, demo or doctor; see 'treadle --help'")
        raise typer.Exit(ExitCode.MISUSE)


@app.command()
def run(  # noqa: PLR0913 (a parameter an option)
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask; - reads it from the input.")],
    *,
    agent: AgentOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    json: JsonOption = False,
    events: EventsOption = False,
    timeout: TimeoutOption = None,
    db: Annotated[str | None, typer.Option("--db", metavar="PATH", help="Keep the run in this store.")] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="ID", help="The kept conversation that it goes on with.")
    ] = None,
    debug: DebugOption = False,
) -> int:
    """Ask one question and show the answer as it comes."""

    def work() -> int:
        choice = Choice(agent=agent, model=model, base_url=base_url, timeout_s=timeout)
        wanted = form(json=json, events=events)
        asked = lines.whole_input() if question == "-" else question
        if not asked.strip():
            raise CommandMisuseError("the question is empty")
        if thread is not None and db is None:
            raise CommandMisuseError("--thread needs --db PATH: a conversation is kept in a store")
        with looking(wanted) as view:
            chosen = chosen_agent(choice)
            if db is None:
                return told(asyncio.run(answer_once(chosen, asked, view)), base_url=base_url)
            kept = answer_kept(chosen, asked, view, form=wanted, path=path_of(db), thread_id=thread)
            return told(asyncio.run(kept), base_url=base_url)

    return concluded(work, debug=debug)


@app.command()
def chat(  # noqa: PLR0913 (a parameter an option)
    *,
    agent: AgentOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    json: JsonOption = False,
    events: EventsOption = False,
    timeout: TimeoutOption = None,
    debug: DebugOption = False,
) -> int:
    """Ask line by line, with what was said before in mind. /quit or Ctrl-D ends."""

    def work() -> int:
        choice = Choice(agent=agent, model=model, base_url=base_url, timeout_s=timeout)
        wanted = form(json=json, events=events)
        with looking(wanted) as view:
            return chat_with(chosen_agent(choice), view, lines.next_line, form=wanted, base_url=base_url)

    return concluded(work, debug=debug)


@app.command()
def doctor(*, debug: DebugOption = False) -> int:
    """Check what this machine can do, and say how to mend what it cannot."""

    def work() -> int:
        checks = all_checks()
        with for_people() as output:
            asyncio.run(output.send(report(checks, terminal=is_terminal())))
        return verdict(checks)

    return concluded(work, debug=debug)


app.add_typer(demo_commands, name="demo")
app.add_typer(serve_commands)
app.add_typer(conformance_commands)
# Named last, so that the help lists what runs an agent before what looks at stored runs.
app.add_typer(store_commands)
app.add_typer(pause_commands)
app.add_typer(replay_commands)


def _one_line(wrong: BaseException) -> str:
    context = getattr(wrong, "ctx", None)
    said = getattr(wrong, "format_message", lambda: str(wrong))().rstrip(".")
    return f"{said}; see '{context.command_path} --help'" if context else said
