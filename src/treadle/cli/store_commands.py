"""The commands over stored runs: words on a command line to a call, and an exit code.

Each owns the store for as long as it takes, so it is refused where another process has it.

Source: docs/cli.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from treadle.cli import run_cancelling, run_listing, run_showing, run_tailing, run_transfer, thread_listing
from treadle.cli.conclusion import concluded
from treadle.cli.diagnostics import complain
from treadle.cli.exits import CommandMisuseError, ExitCode
from treadle.cli.output import Output, for_people, for_scripts, is_terminal
from treadle.cli.store_choice import VARIABLE, CommandStore, existing, opened, path_of, upgraded
from treadle.cli.user_names import user_name
from treadle.cli.views import form, looking
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Cursor, RunStatus

T = TypeVar("T")

commands = typer.Typer()
db_commands = typer.Typer(help="The file of a store itself.")
commands.add_typer(db_commands, name="db")

DbOption = Annotated[
    str | None, typer.Option("--db", metavar="PATH", envvar=VARIABLE, help="The store's file; runs.db without this.")
]
ScopeOption = Annotated[str, typer.Option("--scope", metavar="SCOPE", help="Whose runs.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON, an object a line, and nothing else.")]
DebugOption = Annotated[bool, typer.Option("--debug", "-v", help="Show tracebacks and logs on stderr.")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")]


@commands.command()
def runs(  # noqa: PLR0913 (a parameter an option)
    *,
    thread: Annotated[str | None, typer.Option("--thread", metavar="ID", help="Of this thread alone.")] = None,
    state: Annotated[RunStatus | None, typer.Option("--state", help="In this state alone.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many at most.")] = 50,
    json: JsonOption = False,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """List stored runs, the newest first."""

    def work() -> int:
        named = None if thread is None else ThreadId(thread)
        found = asked(db, lambda store: run_listing.listed(store, scope, thread_id=named, status=state, limit=limit))
        if json:
            write(for_scripts, run_listing.for_scripts(found.runs))
        else:
            write(for_people, run_listing.for_people(found.runs, terminal=is_terminal()))
            remark("there are no such runs", when=not found.runs)
        remark(f"there are more than {limit}; --limit N shows more of them", when=found.is_cut)
        return ExitCode.DONE

    return concluded(work, debug=debug)


@commands.command()
def threads(
    *, json: JsonOption = False, db: DbOption = None, scope: ScopeOption = "default", debug: DebugOption = False
) -> int:
    """List the threads of stored runs, the one spoken in last first."""

    def work() -> int:
        found = asked(db, lambda store: thread_listing.threads(store, scope))
        if json:
            write(for_scripts, thread_listing.for_scripts(found))
        else:
            write(for_people, thread_listing.for_people(found, terminal=is_terminal()))
            remark("there are no threads", when=not found)
        return ExitCode.DONE

    return concluded(work, debug=debug)


@commands.command()
def show(
    run: RunArgument,
    *,
    json: JsonOption = False,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """Show where a stored run stands and what it has said."""

    def work() -> int:
        found = asked(db, lambda store: run_showing.glance(store, scope, RunId(run)))
        if json:
            write(for_scripts, run_showing.for_scripts(found))
        else:
            write(for_people, run_showing.for_people(found, terminal=is_terminal()))
        return ExitCode.DONE

    return concluded(work, debug=debug)


@commands.command()
def tail(  # noqa: PLR0913 (a parameter an option)
    run: RunArgument,
    *,
    after: Annotated[str | None, typer.Option("--after", metavar="CURSOR", help="Only what came after it.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Stream events, one JSON object a line.")] = False,
    events: Annotated[bool, typer.Option("--events", help="Kernel events with their cursors, one a line.")] = False,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """Show the events of a stored run, to its end. Ctrl-C leaves and stops nothing."""

    def work() -> int:
        wanted, path = form(json=json, events=events), existing(db)
        _check_cursor(after)
        with looking(wanted) as view:

            async def read() -> run_tailing.Tailed | None:
                async with opened(path) as store:
                    state = await store.state(scope, RunId(run))
                    return await run_tailing.tail(store, state, view, form=wanted, after=after)

            return run_tailing.concluded(asyncio.run(read()))

    return concluded(work, debug=debug)


@commands.command()
def cancel(
    run: RunArgument,
    *,
    by: Annotated[str | None, typer.Option("--as", metavar="NAME", help="Who asks; without this, your user.")] = None,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """Ask a stored run to stop. The wish is kept until a process that has the run's agent carries it out."""

    def work() -> int:
        principal = by or user_name()
        is_new = asked(db, lambda store: run_cancelling.wish(store, scope, RunId(run), principal=principal))
        write(for_people, run_cancelling.said(RunId(run), is_new=is_new))
        return ExitCode.DONE

    return concluded(work, debug=debug)


@commands.command()
def export(
    run: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="Which runs, by their ids.")] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="All runs of the scope.")] = False,
    with_facts: Annotated[
        bool, typer.Option("--with-facts", help="With what was never shown: requests, raw turns, messages.")
    ] = False,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """Write stored runs as lines of JSON, to keep or to import elsewhere."""

    def work() -> int:
        run_ids = run_transfer.wanted(run or (), every=every)
        path = existing(db)
        with for_scripts() as output:

            async def write() -> bool:
                async with opened(path) as store:
                    return await run_transfer.export(store, scope, run_ids, with_facts=with_facts, send=output.send)

            is_whole = asyncio.run(write())
        remark("a run that has not ended is imported with its facts alone; --with-facts adds them", when=not is_whole)
        return ExitCode.DONE

    return concluded(work, debug=debug)


@commands.command(name="import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What export wrote; - reads the input.")],
    *,
    db: DbOption = None,
    debug: DebugOption = False,
) -> int:
    """Put exported runs into a store, which is made where there is none."""

    def work() -> int:
        path = path_of(db)
        with run_transfer.lines_of(file) as lines:

            async def read() -> str:
                async with opened(path) as store:
                    total = await store.import_lines(lines)
                    return run_transfer.imported(total.new, total.known)

            write(for_people, asyncio.run(read()))
        return ExitCode.DONE

    return concluded(work, debug=debug)


@db_commands.command()
def upgrade(
    path: Annotated[str | None, typer.Argument(metavar="[PATH]", help="The store's file, as --db names it.")] = None,
    *,
    db: DbOption = None,
    debug: DebugOption = False,
) -> int:
    """Move a store's file to the schema of this version."""

    def work() -> int:
        store = existing(db if path is None else path)
        had, has = upgraded(store)
        moved = f"moved from schema {had} to {has}" if had != has else f"has schema {has} already"
        write(for_people, f"store {str(store)!r} {moved}\n")
        return ExitCode.DONE

    return concluded(work, debug=debug)


def asked(db: str | None, ask: Callable[[CommandStore], Awaitable[T]]) -> T:
    """What a question to the store gives. The store is let go of before anything is written."""
    path: Path = existing(db)

    async def once() -> T:
        async with opened(path) as store:
            return await ask(store)

    return asyncio.run(once())


def write(to: Callable[[], AbstractContextManager[Output]], text: str) -> None:
    """Put text out, made for people or for scripts."""
    with to() as output:
        asyncio.run(output.send(text))


def remark(text: str, *, when: bool) -> None:
    """Say something beside the output, where there is something to say."""
    if when:
        complain(f"treadle: {text}")


def _check_cursor(text: str | None) -> None:
    if text is not None:
        try:
            Cursor.read(text)
        except ValueError as malformed:
            raise CommandMisuseError(f"--after: {malformed}") from None
