"""The command `conformance`: words on a command line to a lap of official clients, and an exit code.

Source: docs/cli.md.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated

import typer

from treadle.cli.conclusion import concluded
from treadle.cli.demo_commands import check_installed

commands = typer.Typer()


@commands.command()
def conformance(  # noqa: PLR0913 (a parameter an option)
    wires: Annotated[
        list[str] | None, typer.Argument(metavar="[WIRE]...", help="Such as plain or agui; all of them without.")
    ] = None,
    *,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", metavar="NAME", help="Only this scripted agent; may be said again.")
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="PATH", help="Write the page there if all is as expected.")
    ] = None,
    reports: Annotated[
        Path | None, typer.Option("--reports", metavar="FOLDER", help="Keep what each client printed.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="FOLDER", help="Where the clients are installed.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="A JSON object a cell, and nothing else.")] = False,
    debug: Annotated[bool, typer.Option("--debug", "-v", help="Show tracebacks and logs on stderr.")] = False,
) -> int:
    """Run the official clients of the wires against scripted agents, and show what each of them sees."""

    def work() -> int:
        check_installed("server", what="serving the scripted agents")
        # It is loaded when it is asked for: the other commands need none of what it needs.
        working = importlib.import_module("treadle.cli.conformance.working")
        asked = working.Asked(
            wires=wires or (), agents=agent or (), write=write, reports=reports, cache=cache, as_json=json
        )
        return int(working.lap(asked))

    return concluded(work, debug=debug)
