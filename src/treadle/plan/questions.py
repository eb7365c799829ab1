"""The questions that a model may put to the user, as a tool that every agent can be given.

In: what the model says. Out: whether it is 1 to 4 sound questions. Nothing runs: a call of it is a pause, and the
answer is its result. Ids are ours to give, so the model has no field for them.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Final, NoReturn, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from treadle.errors import StateError
from treadle.plan.tools import Tool, ToolOptions
from treadle.values.pauses import PauseKind


def _words(least: int, most: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


class Option(BaseModel):
    """One thing that may be chosen."""

    model_config = ConfigDict(extra="forbid")

    label: Annotated[str, _words(1, 80), Field(description="What is chosen, 1 to 80 characters.")]
    description: Annotated[str, _words(0, 400), Field(description="What it means, at most 400 characters.")] = ""


class Question(BaseModel):
    """One question."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, _words(3, 500), Field(description="The whole question, 3 to 500 characters.")]
    header: Annotated[str, _words(1, 12), Field(description="What it is about, at most 12 characters.")]
    options: Annotated[
        list[Option], Field(min_length=2, max_length=4, description="2 to 4 options, each with a label of its own.")
    ]
    multi_select: Annotated[bool, Field(description="Whether more than one option may be chosen.")] = False
    allow_other: Annotated[bool, Field(description="Whether the user may answer in other words.")] = False

    @model_validator(mode="after")
    def _labels_differ(self) -> Self:
        labels = [option.label for option in self.options]
        if len(set(labels)) != len(labels):
            raise ValueError("the options of a question need different labels")
        return self


def _ask_user(
    questions: Annotated[list[Question], Field(min_length=1, max_length=4, description="1 to 4 questions.")],
) -> NoReturn:
    """Ask the user 1 to 4 questions, each with 2 to 4 options, and wait for the answers."""
    raise StateError(f"ask_user is answered by a person, not called: {len(questions)} questions came")


ask_user: Final[Tool[Any, Any]] = Tool(
    _ask_user, ToolOptions(name="ask_user", timeout_s=math.inf, asks=PauseKind.ASK_USER)
)
"""A tool by which a model asks the user: `Agent(..., tools=[ask_user])`."""
