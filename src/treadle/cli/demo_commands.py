"""The command `demo` and its subcommands: words on a command line to a demo, and an exit code.

Source: docs/demos.md, docs/cli.md.
"""

from __future__ import annotations

import importlib
import importlib.util
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import typer

from treadle.app.demo import agent as demo_agent
from treadle.cli.conclusion import concluded
from treadle.cli.demonstrating import demonstrate
from treadle.cli.demos.outcome import DemoFailedError, Teller
from treadle.cli.diagnostics import complain
from treadle.cli.exits import CommandMisuseError, ExitCode
from treadle.cli.output import for_people, for_scripts
from treadle.cli.views import form, looking

commands = typer.Typer(
    invoke_without_command=True,
    help="Show that a promise holds here, without key or network. Without a name: a real model and a real tool.",
)

JsonOption = Annotated[bool, typer.Option("--json", help="What is found, a JSON object a line, and nothing else.")]
DebugOption = Annotated[bool, typer.Option("--debug", "-v", help="Show tracebacks and logs on stderr.")]

EXTRAS: Final = {"server": ("starlette", "uvicorn", "websockets", "prometheus_client", "jwt"), "openai": ("openai",)}
"""The modules that an extra brings."""
ROUNDS: Final = 5
SEEDS: Final = 1_000_000


@commands.callback()
def demo(
    context: typer.Context,
    *,
    json: Annotated[bool, typer.Option("--json", help="Stream events, one JSON object a line, nothing else.")] = False,
    events: Annotated[bool, typer.Option("--events", help="Kernel events, one JSON object a line.")] = False,
    debug: DebugOption = False,
) -> int:
    """Let the model on this machine answer a fixed question with a real tool, or show one promise by its name."""

    def work() -> int:
        if context.invoked_subcommand is not None:
            if json or events or debug:
                name = context.invoked_subcommand
                raise CommandMisuseError(f"options of a demo stand behind its name: treadle demo {name} --json")
            return ExitCode.DONE
        with looking(form(json=json, events=events)) as view:
            return demonstrate(view, agent=demo_agent())

    code = concluded(work, debug=debug)
    if code is not ExitCode.DONE and context.invoked_subcommand is not None:
        raise typer.Exit(code)
    return code


@commands.command()
def kill9(
    *,
    rounds: Annotated[int, typer.Option("--rounds", metavar="N", min=1, help="How many runs lose a server.")] = ROUNDS,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Where the kills are aimed; another each time.")
    ] = None,
    json: JsonOption = False,
    debug: DebugOption = False,
) -> int:
    """Kill servers with -9 in mid-answer: another one takes over, and the reader misses and repeats nothing."""
    chosen = SystemRandom().randrange(SEEDS) if seed is None else seed
    return concluded(lambda: shown("kill9", json=json, rounds=rounds, seed=chosen), debug=debug)


@commands.command()
def tab(*, json: JsonOption = False, debug: DebugOption = False) -> int:
    """Close a tab in mid-answer and open it again: every character is seen once."""
    return concluded(lambda: shown("tab", json=json), debug=debug)


@commands.command()
def truncate(*, json: JsonOption = False, debug: DebugOption = False) -> int:
    """Cut a provider in mid-answer: that is an error, the part is kept, and the next turn knows it."""
    return concluded(lambda: shown("truncate", json=json, extras=("server", "openai")), debug=debug)


@commands.command()
def slow(*, json: JsonOption = False, debug: DebugOption = False) -> int:
    """Freeze readers beside a fast one: it is not slowed, they cost little, are ended, and come back."""
    return concluded(lambda: shown("slow", json=json), debug=debug)


@commands.command()
def approvals(*, json: JsonOption = False, debug: DebugOption = False) -> int:
    """Try ten ways round a person whose leave a tool needs: all are refused, and the tool runs once."""
    return concluded(lambda: shown("approvals", json=json, extras=()), debug=debug)


def shown(name: str, *, json: bool, extras: Sequence[str] = ("server",), **options: Any) -> ExitCode:  # noqa: ANN401 (each demo has its own)
    """Show one promise on standard output. Error where it is broken, or where that could not be found out.

    Raises:
        CommandMisuseError: An extra is not installed.
    """
    for extra in extras:
        check_installed(extra)
    # A demo is loaded when it is asked for: the others' commands need none of what it needs.
    demonstrated = getattr(importlib.import_module(f"treadle.cli.demos.{name}"), name)
    with for_scripts() if json else for_people() as output, TemporaryDirectory(prefix="treadle-demo-") as folder:
        teller = Teller(demo=name, write=output.write, for_scripts=json)
        try:
            broken = demonstrated(folder=Path(folder), teller=teller, **options)
        except DemoFailedError as failure:
            complain(f"error: the demo could not go on: {failure}")
            return ExitCode.ERROR
    for said in broken:
        complain(f"error: the promise is broken: {said}")
    return ExitCode.ERROR if broken else ExitCode.DONE


def check_installed(extra: str, *, what: str = "this demo") -> None:
    """Look whether what an extra brings is there. `what` is what needs it.

    Raises:
        CommandMisuseError: It is not. The message holds the line that installs it.
    """
    missing = [name for name in EXTRAS[extra] if importlib.util.find_spec(name) is None]
    if missing:
        install = f"{shlex.quote(sys.executable)} -m pip install 'treadle[{extra}]'"
        raise CommandMisuseError(f"{what} needs the module {missing[0]!r}; install: {install}")
