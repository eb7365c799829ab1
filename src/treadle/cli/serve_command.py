"""The command `serve`: words on a command line to a server, and an exit code.

Source: docs/cli.md.
"""

from __future__ import annotations

from typing import Annotated

import typer

from treadle.cli.conclusion import concluded
from treadle.cli.diagnostics import complain
from treadle.cli.exits import ExitCode
from treadle.cli.server_extra import needing_server
from treadle.cli.store_choice import SCHEME, VARIABLE, path_of

commands = typer.Typer()


@commands.command()
def serve(
    served: Annotated[
        str,
        typer.Argument(
            metavar="MODULE[:NAME]", help="An agent, a list of agents, or a Server; a module: what it offers."
        ),
    ],
    *,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="0 takes a free one.")] = 8000,
    db: Annotated[
        str | None, typer.Option("--db", metavar="PATH", envvar=VARIABLE, help="Where runs are kept; runs.db without.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", "-v", help="Show tracebacks and logs on stderr.")] = False,
) -> int:
    """Serve agents over HTTP until Ctrl-C, and let their runs end."""

    def work() -> int:
        serving = needing_server("treadle.cli.serving", doing="serving")
        store = None if db is None else f"{SCHEME}{path_of(db)}"
        serving.serve_until_asked(serving.served(served, store=store), host=host, port=port, say=complain)
        return ExitCode.DONE

    return concluded(work, debug=debug)
