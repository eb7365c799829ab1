"""The pauses of a stored run, answered from this machine: by whoever can read the store, under a name of their own.

In: a store, a run, what is said. Out: answers in the run's inbox, in words. The run goes on once a process that has its
agent hears of them. Tokens are made and verified here with a key of this one command.

Source: docs/cli.md.
"""

from __future__ import annotations

import getpass
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from treadle.adapters.system import SystemClock
from treadle.cli.exits import CommandMisuseError
from treadle.cli.foreign_text import json_line, line
from treadle.codec.pause_tokens import LEAST_SECRET_BYTES, TokenKeys
from treadle.runtime.answering import Answering, TakenAnswers
from treadle.runtime.open_pauses import Asked, OpenPause, pauses_of
from treadle.values.ids import RunId
from treadle.values.pauses import Answer, Decision

GOES_ON = "it goes on once a process that has its agent hears of it"


class Desk:
    """Where one command reads pauses and gives answers."""

    def __init__(self, scope: str, run_id: RunId) -> None:
        self._scope = scope
        self._run_id = run_id
        self._keys = TokenKeys(secrets.token_bytes(LEAST_SECRET_BYTES))

    async def pauses(self, store: Asked) -> tuple[OpenPause, ...]:
        """What the run waits for.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        return (await pauses_of(store, self._scope, self._run_id)).as_shown(keys=self._keys)

    async def answer(self, store: Asked, said: Sequence[Answer], *, principal: str) -> TakenAnswers:
        """Take in what somebody says.

        Raises:
            ResumeError: It is refused; nothing was taken.
        """
        desk = Answering(
            store=store, scope=self._scope, keys=self._keys, clock=SystemClock(), checks=lambda _: _nobody_checks
        )
        return await desk.answer(self._run_id, said, principal=principal)


def said_by_options(
    pauses: Sequence[OpenPause], *, pause: str | None, options: Mapping[Decision, str | None]
) -> Answer | None:
    """The answer that the options say; None where they say none, and a person is to be asked.

    Shape: `options` holds what was given: a decision with its text, None where it takes none.
    Raises:
        CommandMisuseError: They say more than one, or it is not clear of which pause.
    """
    if not options:
        return None
    if len(options) > 1:
        names = ", ".join(f"--{'value' if one is Decision.ANSWER else one.value}" for one in options)
        raise CommandMisuseError(f"one decision at a time, not {names}")
    wanted = [one for one in pauses if pause in (None, one.interrupt_id)]
    if len(wanted) != 1:
        there = ", ".join(one.interrupt_id for one in pauses) or "none"
        raise CommandMisuseError(f"--pause says which pause is meant; open are {line(there)}")
    ((decision, text),) = options.items()
    fields: dict[str, Any] = {"interrupt_id": wanted[0].interrupt_id, "token": wanted[0].token, "decision": decision}
    if decision is Decision.DENY:
        fields["reason"] = text or None
    elif decision is Decision.EDIT:
        fields["arguments"] = _object(text or "")
    elif decision is Decision.ANSWER:
        fields["value"] = _json(text or "", "--value")
    return Answer(**fields)


def told(taken: TakenAnswers) -> str:
    """What came of it, as one line."""
    left = len(taken.open)
    more = f"{left} more to answer" if left else GOES_ON
    return f"answer accepted: {line(taken.run_id)}; {more}\n"


def for_scripts(taken: TakenAnswers) -> str:
    """The same as one JSON object."""
    return f"{json_line({'run_id': taken.run_id, 'taken': list(taken.taken), 'open': list(taken.open)})}\n"


def user_name() -> str:
    """Who sits here, as the system knows them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "somebody"


def _object(text: str) -> Mapping[str, Any]:
    value = _json(text, "--edit")
    if not isinstance(value, dict):
        raise CommandMisuseError("--edit takes the arguments as a JSON object")
    return value


def _json(text: str, option: str) -> Any:  # noqa: ANN401 (any JSON terms)
    try:
        return json.loads(text)
    except ValueError as wrong:
        raise CommandMisuseError(f"{option} takes JSON: {wrong}") from wrong


def _nobody_checks(_: str, __: Mapping[str, Any]) -> str | None:
    """Edited arguments are held against the schema that the pause has; the agent itself is elsewhere."""
    return None
