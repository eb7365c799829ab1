"""The commands about pauses: answer one, and see what people have decided.

Each has the store only while it reads or writes, and never while it waits for a person.

Source: docs/cli.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from treadle.cli import asking, lines, run_answering, run_audit
from treadle.cli.conclusion import concluded
from treadle.cli.diagnostics import tell
from treadle.cli.exits import ExitCode
from treadle.cli.output import for_people, for_scripts
from treadle.cli.run_answering import Desk
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
        desk = Desk(scope, RunId(run))
        pauses = asked(db, desk.pauses)
        said = run_answering.said_by_options(pauses, pause=pause, options=options)
        answers = _put(pauses, pause) if said is None else [said]
        if not answers:
            remark("the run waits for nothing" if not pauses else "nothing was answered", when=True)
            return ExitCode.DONE if not pauses else ExitCode.PAUSED
        principal = by or run_answering.user_name()
        taken = asked(db, lambda store: desk.answer(store, answers, principal=principal))
        write(*((for_scripts, run_answering.for_scripts(taken)) if json else (for_people, run_answering.told(taken))))
        return ExitCode.DONE

    return concluded(work, debug=debug)


@commands.command()
def audit(
    run: RunArgument,
    *,
    json: JsonOption = False,
    db: DbOption = None,
    scope: ScopeOption = "default",
    debug: DebugOption = False,
) -> int:
    """Show what people decided about a stored run: who, when, what they changed, and what came of it."""

    def work() -> int:
        found = asked(db, lambda store: run_audit.audited(store, scope, RunId(run)))
        write(*((for_scripts, run_audit.for_scripts(found)) if json else (for_people, run_audit.for_people(found))))
        remark("nobody has decided anything about it", when=not found and not json)
        return ExitCode.DONE

    return concluded(work, debug=debug)


def _put(pauses: Sequence[OpenPause], wanted: str | None) -> list[Answer]:
    """What a person says, pause after pause; those that they leave open are left out."""
    answers = []
    for one in pauses:
        if wanted in (None, one.interrupt_id):
            tell(asking.shown(one).rstrip("\n"))
            if (said := asking.put(one, lines.next_line)) is not None:
                answers.append(said)
    return answers
