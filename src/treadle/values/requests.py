"""What a caller asks for, and what a model is told: the two ends of prompt assembly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.values.calls import ToolOutcome
from treadle.values.ids import NO_THREAD, RunId, ThreadId
from treadle.values.making import quickly_made
from treadle.values.mappings import empty, frozen
from treadle.values.model import ModelTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file beside the prompt. Either `data` or `url` is given."""

    media_type: str
    data: bytes = b""
    url: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if bool(self.data) == bool(self.url):
            raise ValueError("an attachment needs data or url, not both and not neither")


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """What a person said in an earlier turn, or says now."""

    text: str
    attachments: tuple[Attachment, ...] = ()


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMessage:
    """A model's earlier turn, with what came of its calls. `turn.payload` goes back to its own adapter."""

    turn: ModelTurn
    outcomes: tuple[ToolOutcome, ...] = ()
    """In call order, one for each call of the turn."""
    cut: bool = False
    """The turn never finished: its text is what was shown and it has no calls."""


HistoryMessage = UserMessage | TurnMessage


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """The caller's half. It carries no instructions: those are the plan's."""

    prompt: str
    attachments: tuple[Attachment, ...] = ()
    history: tuple[HistoryMessage, ...] = ()
    run_id: RunId
    root_run_id: RunId
    parent_run_id: RunId | None = None
    thread_id: ThreadId = NO_THREAD
    scope: str | None = None
    properties: Mapping[str, Any] = field(default_factory=empty)

    def __post_init__(self) -> None:
        if not self.run_id:
            raise ValueError(f"run_id must name the run, came {self.run_id!r}")
        object.__setattr__(self, "properties", frozen(self.properties))


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class PromptAssembly:
    """What the model is told before the turns of this run: the output of a pure function."""

    instructions: str | None = None
    prompt: str
    attachments: tuple[Attachment, ...] = ()
    history: tuple[HistoryMessage, ...] = ()
    system_blocks: tuple[str, ...] = ()


def assemble(*, instructions: str | None, request: TurnRequest, recalled: tuple[str, ...] = ()) -> PromptAssembly:
    """The prompt of a run from its plan's instructions, its request and what memory recalled. Pure."""
    return PromptAssembly(
        instructions=instructions,
        prompt=request.prompt,
        attachments=request.attachments,
        history=request.history,
        system_blocks=recalled,
    )
