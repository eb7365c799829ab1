"""The output that an agent declares, while its run goes on: what the model is told of it, and whether an answer is one.

In: the schema, turns, and what was shown of them. Out: a block for the prompt, an error, a value. An agent that
declares none has an empty schema: then nothing is told, nothing is wrong, and nothing is read.

Source: ADR 0045 (an output is the answer, held against a schema).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from treadle.errors import ModelOutputError
from treadle.kernel.rounds import CUT_LABELS
from treadle.plan.output import output_block, output_of
from treadle.values.events import ClosingEvent, Done
from treadle.values.mappings import Json
from treadle.values.model import ModelTurn


class DeclaredOutput:
    """The output of one agent's runs."""

    __slots__ = ("_schema", "blocks")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self.blocks = (output_block(schema),) if schema else ()
        """What the model is told behind the instructions."""

    def misfit(self, turn: ModelTurn, answer: Callable[[], str]) -> ModelOutputError | None:
        """What is wrong with a turn without calls that ends its run; None with one that is cut, or is well.

        Args:
            turn: The turn.
            answer: Gives what was shown of it.
        """
        if not self._schema or turn.damage is not None or turn.stop_reason in CUT_LABELS:
            return None
        _, fault = output_of(answer(), self._schema)
        if fault is None:
            return None
        return ModelOutputError("the answer is not the output that the agent declares", detail=fault)

    def reader(self, closing: type[ClosingEvent]) -> Callable[[str], Json] | None:
        """What reads the answer for this closing event; None where it has no output."""
        return self._read if self._schema and closing is Done else None

    def _read(self, answer: str) -> Json:
        return output_of(answer, self._schema)[0]
