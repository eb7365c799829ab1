"""The pauses of a stored run, answered from this machine: by whoever can read the store, under a name of their own.

In: a store, a run, what is said. Out: answers in the run's inbox, in words. The run goes on once a process that has its
agent hears of them. Tokens are made and verified here with a key of this one command.

Source: docs/cli.md.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from treadle.adapters.system import SystemClock
from treadle.cli.exits import CommandMisuseError
from treadle.cli.foreign_text import json_line, line
from treadle.codec.pause_tokens import LEAST_SECRET_BYTES, TokenKeys
from treadle.errors import (
    AlreadyAnsweredError,
    CancelAskedError,
    PauseNotFoundError,
    ResumeError,
    TokenExpiredError,
)
from treadle.runtime.answering import Answering, TakenAnswers
from treadle.runtime.open_pauses import Asked, OpenPause, PausesOfRun, pauses_of
from treadle.values.ids import InterruptId, RunId
from treadle.values.pauses import Answer, Decision

GOES_ON = "it goes on once a process that has its agent hears of it"
WAITS = "waits for a process that has the run's agent"


class Desk:
    """Where one command reads pauses and gives answers."""

    def __init__(self, scope: str, run_id: RunId) -> None:
        self._scope = scope
        self._run_id = run_id
        self._keys = TokenKeys(secrets.token_bytes(LEAST_SECRET_BYTES))

    async def look(self, store: Asked) -> PausesOfRun:
        """The pauses of the run.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        return await pauses_of(store, self._scope, self._run_id)

    def meant(self, found: PausesOfRun, *, pause: str | None) -> tuple[OpenPause, ...]:
        """What may be answered: the pause of this name, or all that are open.

        Raises:
            ResumeError: The pause of this name is settled, or there is none.
        """
        if pause is not None and pause not in found.open:
            raise _closed(found, pause)
        return tuple(one for one in found.as_shown(keys=self._keys) if pause in (None, one.interrupt_id))

    async def answer(self, store: Asked, said: Sequence[Answer], *, principal: str) -> TakenAnswers:
        """Take in what somebody says.

        Raises:
            ResumeError: It is refused; nothing was taken.
        """
        desk = Answering(
            store=store, scope=self._scope, keys=self._keys, clock=SystemClock(), checks=lambda _: _nobody_checks
        )
        return await desk.answer(self._run_id, said, principal=principal)


def said_by_options(meant: Sequence[OpenPause], *, options: Mapping[Decision, str | None]) -> Answer | None:
    """The answer that the options say; None where they say none, and a person is to be asked.

    Shape: `meant` are one or more; `options` holds what was given: a decision with its text, None where it takes none.
    Raises:
        CommandMisuseError: They say more than one, or it is not clear of which pause.
    """
    if not options:
        return None
    if len(options) > 1:
        names = ", ".join(f"--{'value' if one is Decision.ANSWER else one.value}" for one in options)
        raise CommandMisuseError(f"one decision at a time, not {names}")
    if len(meant) > 1:
        there = ", ".join(one.interrupt_id for one in meant)
        raise CommandMisuseError(f"--pause says which pause is meant; open are {line(there)}")
    (wanted,) = meant
    ((decision, text),) = options.items()
    fields: dict[str, Any] = {"interrupt_id": wanted.interrupt_id, "token": wanted.token, "decision": decision}
    if decision is Decision.DENY:
        fields["reason"] = text or None
    elif decision is Decision.EDIT:
        fields["arguments"] = _object(text or "")
    elif decision is Decision.ANSWER:
        fields["value"] = _json(text or "", "--value")
    return Answer(**fields)


def nothing_open(found: PausesOfRun) -> ResumeError:
    """Why nothing of this run can be answered, as the refusal of an answer."""
    named = next(reversed([*found.settled]), None)
    if named is None:
        return PauseNotFoundError(f"run {found.state.run_id!r} waits for nothing")
    return _closed(found, named)


def _closed(found: PausesOfRun, pause: str) -> ResumeError:
    """Why this pause cannot be answered, with who has settled it where that is known."""
    named = InterruptId(pause)
    if named not in found.settled:
        open_ = ", ".join(found.open) or "none"
        return PauseNotFoundError(f"run {found.state.run_id!r} has no pause {pause!r:.100}; open are {open_}")
    refusal, settled = found.refusal(named), found.settled[named]
    sent = found.unheard.answers.get(named)
    if (decided := found.decided.get(named) if sent is None else sent.decided) is not None:
        said = f"pause {named!r} was answered by {line(decided.by)} ({decided.decision.value})"
        return AlreadyAnsweredError(said if sent is None else f"{said} and {WAITS}")
    if isinstance(refusal, CancelAskedError | TokenExpiredError) or settled is None:
        return refusal
    return AlreadyAnsweredError(f"pause {named!r} is settled: {settled.value}")


def told(taken: TakenAnswers) -> str:
    """What came of it, as one line."""
    left = len(taken.open)
    more = f"{left} more to answer" if left else GOES_ON
    return f"answer accepted: {line(taken.run_id)}; {more}\n"


def for_scripts(taken: TakenAnswers) -> str:
    """The same as one JSON object."""
    return f"{json_line({'run_id': taken.run_id, 'taken': list(taken.taken), 'open': list(taken.open)})}\n"


def _object(text: str) -> Mapping[str, Any]:
    value = _json(text, "--edit")
    if not isinstance(value, dict):
        raise CommandMisuseError("--edit takes the arguments as a JSON object")
    return value


def _json(text: str, option: str) -> Any:  # noqa: ANN401 (any JSON terms)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise CommandMisuseError(f"{option} takes JSON: {wrong}") from wrong


def _nobody_checks(_: str, __: Mapping[str, Any]) -> str | None:
    """Edited arguments are held against the schema that the pause has; the agent itself is elsewhere."""
    return None
