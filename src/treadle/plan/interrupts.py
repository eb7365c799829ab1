"""A question that a tool asks a person in the middle of its work.

In: a name, a payload and the form of the answer. Out: the answer, where it was asked. A call that asks goes no further:
nothing of it is held while people think, be it for days. When the answer is there the function is called again from its
beginning, with the same arguments, and each `interrupt` that was answered gives its answer at once. So a tool says with
`interrupts=True` that what it does before an interrupt may be done again.

Source: docs/pauses.md, ADR 0030 (a call that asks is called again).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final, NoReturn

from pydantic import TypeAdapter, ValidationError

from treadle.codec.foreign import json_bytes, json_value
from treadle.codec.json_schema import unchecked
from treadle.errors import StateError
from treadle.plan.damage import damage_text
from treadle.ports.toolbox import CallInterrupted, InterruptAnswered, InterruptAsk
from treadle.values.mappings import EMPTY, thawed


class Asking:
    """What one call has asked so far, and what it now wants to be told.

    Shape: `asked` is set when the call goes no further; whatever its function raises from then on is that.
    """

    __slots__ = ("_answered", "_next", "asked")

    def __init__(self, answered: tuple[InterruptAnswered, ...]) -> None:
        self._answered = answered
        self._next = 0
        self.asked: InterruptAsk | None = None

    def ask(self, asked: InterruptAsk) -> Any:  # noqa: ANN401 (what a person says)
        """The answer, if this was asked and answered before; else the end of the call.

        Raises:
            CallInterrupted: It was not.
            StateError: The tool asks for something else than it did before.
        """
        if self.asked is not None or self._next == len(self._answered):
            self._end(self.asked or asked)
        before = self._answered[self._next]
        if (before.ask.name, before.ask.payload) != (asked.name, asked.payload):
            raise StateError(
                f"interrupt {asked.name!r} was asked where {before.ask.name!r} was answered, or with another payload: "
                "a tool asks for the same in the same order when it is called again"
            )
        self._next += 1
        return thawed(before.value)

    def _end(self, asked: InterruptAsk) -> NoReturn:
        self.asked = asked
        raise CallInterrupted(asked)


ASKING: Final[ContextVar[Asking | None]] = ContextVar("treadle_asking", default=None)
"""What the call that runs here has asked. A toolbox sets it; a tool calls `interrupt`."""


def interrupt(name: str, payload: Any = None, schema: Any = None) -> Any:  # noqa: ANN401 (any JSON terms, any type)
    """Ask a person, within a call of a tool declared with `@tool(interrupts=True)`, and give what they say.

    The call ends here and is made again when the answer has come; this then gives the answer at once. It is called, not
    awaited, in `async` tools as in plain ones.

    Args:
        name: What is asked for, a word of yours that a front end knows.
        payload: What the person is shown, in JSON terms. It has to be the same when the call is made again.
        schema: What an answer is: a JSON schema, or a type, which the answer is then made into; None for anything.
    Raises:
        StateError: There is no such call here, the schema cannot be checked, or the call asks for something else
            than it did before.
    """
    asking = ASKING.get()
    if asking is None:
        raise StateError("interrupt() asks within a call of a tool declared with @tool(interrupts=True); here is none")
    if not name:
        raise StateError(f"an interrupt needs a name, came {name!r}")
    wanted, made_into = _wanted(schema)
    said = asking.ask(InterruptAsk(name=name, payload=json_value(payload), schema=wanted))
    if made_into is None:
        return said
    try:
        return made_into.validate_json(json_bytes(json_value(said)))
    except ValidationError as wrong:
        raise StateError(f"the answer to interrupt {name!r} is not of its type: {damage_text(wrong)}") from wrong


def _wanted(schema: Any) -> tuple[Mapping[str, Any], TypeAdapter[Any] | None]:  # noqa: ANN401 (a schema or a type)
    if schema is None:
        return EMPTY, None
    made_into = None if isinstance(schema, Mapping) else TypeAdapter(schema)
    wanted = schema if made_into is None else made_into.json_schema()
    if words := unchecked(wanted):
        raise StateError(f"the schema of an interrupt demands what is not checked: {', '.join(words)}")
    return wanted, made_into
