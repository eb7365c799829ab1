"""The commands about pauses: answer one, and see what people have decided.

Each has the store only while it reads or writes, and never while it waits for a person.

Source: docs/cli.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from treadle.app.pause_keys import PauseKeys
from treadle.cli import asking, lines, run_answering, run_audit
from treadle.cli.conclusion import concluded
from treadle.cli.diagnostics import tell
from treadle.cli.exits import ExitCode
from treadle.cli.output import for_people, for_scripts
from treadle.cli.run_answering import Desk
from treadle.cli.run_transfer import wanted
from treadle.cli.store_choice import SCHEME, existing
from treadle.cli.store_commands import (
    DbOption,
    DebugOption,
    JsonOption,
    RunArgument,
    ScopeOption,
    asked,
    remark,
    write,
)
from treadle.cli.user_names import user_name
from treadle.runtime.open_pauses import OpenPause
from treadle.values.ids import RunId
from treadle.values.pauses import Answer, Decision

commands = typer.Typer()


@commands.command()
def answer(  # noqa: PLR0913 (a parameter an option)
    run: RunArgument,
    *,
    pause: Annotated[str | None, typer.Option("--pause", metavar="ID", help="Which pause, where several wait.")] = None,
    approve: Annotated[bool, typer.Option("--approve", help="Let the call run as it is.")] = False,
    deny: Annotated[str | None, typer.Option("--deny", metavar="REASON", help="Do not; the model is told why.")] = None,
    edit: Annotated[
        str | None, typer.Option("--edit", metavar="JSON", help="Let the call run with these arguments.")
    ] = None,
    value: Annotated[str | None, typer.Option("--value", metavar="JSON", help="What was asked for.")] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="Decide nothing; the call is cancelled.")] = False,
    by: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Who answers; without this, your user.")
    ] = None,
    json: JsonOption = False,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """Answer what a stored run waits for: by an option, or asked for it line by line."""

    def work() -> int:
        texts = {Decision.DENY: deny, Decision.EDIT: edit, Decision.ANSWER: value}
        options: dict[Decision, str | None] = {one: text for one, text in texts.items() if text is not None}
        options |= {one: None for one, is_meant in ((Decision.APPROVE, approve), (Decision.CANCEL, cancel)) if is_meant}
        # Whoever starts a server over this store next would be refused; who answers hears of it now.
        PauseKeys(f"{SCHEME}{existing(db)}", os.environ)
        desk = Desk(scope, RunId(run))
        found = asked(db, desk.look)
        meant = desk.meant(found, pause=pause)
        if not meant:
            refusal = run_answering.nothing_open(found)
            if options:
                raise refusal
            remark(f"the run waits for nothing: {refusal}", when=True)
            return ExitCode.DONE
        said = run_answering.said_by_options(meant, options=options)
        answers = _put(meant) if said is None else [said]
        if not answers:
            remark("nothing was answered", when=True)
            return ExitCode.PAUSED
        principal = by or user_name()
        taken = asked(db, lambda store: desk.answer(store, answers, principal=principal))
        write(*((for_scripts, run_answering.for_scripts(taken)) if json else (for_people, run_answering.told(taken))))
        return ExitCode.DONE

    return concluded(work, debug=debug)


@commands.command()
def audit(
    run: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="Of which runs, by their ids.")] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Of all runs of the scope.")] = False,
    json: JsonOption = False,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """Show what people decided about stored runs: who, when, what they changed, and what came of it."""

    def work() -> int:
        run_ids = wanted(run or (), every=every)
        found = asked(db, lambda store: run_audit.audited(store, scope, run_ids))
        write(*((for_scripts, run_audit.for_scripts(found)) if json else (for_people, run_audit.for_people(found))))
        remark("nobody has decided anything", when=not found and not json)
        return ExitCode.DONE

    return concluded(work, debug=debug)


def _put(pauses: Sequence[OpenPause]) -> list[Answer]:
    """What a person says, pause after pause; those that they leave open are left out."""
    answers = []
    for one in pauses:
        tell(asking.shown(one).rstrip("\n"))
        if (said := asking.put(one, lines.next_line)) is not None:
            answers.append(said)
    return answers
