"""The command `replay`: words on a command line to the frames of a stored run, and an exit code.

Source: docs/cli.md.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from treadle.cli.conclusion import concluded
from treadle.cli.exits import ExitCode
from treadle.cli.server_extra import needing_server
from treadle.cli.store_commands import DbOption, DebugOption, ScopeOption, remark

commands = typer.Typer()


@commands.command()
def replay(  # noqa: PLR0913 (a parameter an option)
    run: Annotated[
        str, typer.Argument(metavar="RUN|FILE", help="A run's id, or a file that export wrote; - reads the input.")
    ],
    *,
    wire: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="WIRE",
            help="plain, plain-ndjson, agui, vercel, openai-chat, openai-responses, a2a or mcp.",
        ),
    ],
    own: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="NAME=VALUE", help="What came with the request, as its id. May be repeated."),
    ] = None,
    segment: Annotated[
        int | None, typer.Option("--segment", metavar="N", min=1, help="This response alone; all without it.")
    ] = None,
    run_id: Annotated[str | None, typer.Option("--run", metavar="ID", help="Which run of the file.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="PATH", help="Write it into this file.")] = None,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """Say a stored run again in the words of a wire, byte for byte as it was first sent."""

    def work() -> int:
        part = needing_server("treadle.cli.run_replaying", doing="replaying")
        values = part.values_of(own or ())
        source = part.Source(named=run, run_id=run_id, db=db, scope=scope)
        keys = source.keys(os.environ)
        replaying = part.Replaying(asyncio.run(source.run()), keys)
        part.write(replaying.frames(replaying.responses(wire, values, segment=segment)), out)
        for said in replaying.remarks():
            remark(said, when=True)
        return ExitCode.DONE

    return concluded(work, debug=debug)
