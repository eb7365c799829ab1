"""The port to a language model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from treadle.values.making import quickly_made
from treadle.values.model import ModelItem
from treadle.values.requests import PromptAssembly, TurnMessage
from treadle.values.tools import ToolSpec


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to a model.

    Shape: `turns` are the finished turns of this run, oldest first, each with an outcome for every call it made.
    It is the run's own growing list: read it while you build the request, and do not keep it.
    """

    prompt: PromptAssembly
    turns: Sequence[TurnMessage] = ()
    tools: tuple[ToolSpec, ...] = ()


class Model(Protocol):
    """A language model behind a provider's wire."""

    @property
    def name(self) -> str:
        """What the model is called in events, such as `gpt-5`."""
        ...

    def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Ask once and yield what comes, in lists: one list a provider read.

        Shape:   pieces `(TEXT | THINKING | ARGUMENTS, text)` with non-empty text; `CallNamed` before the first
                 argument piece of a call and again whenever the pieces go over to another call; `UsageTold`
                 whenever the provider has told its count so far; `TurnEnded` once, as the very last item, only for
                 a turn that ended in good order; its `text` is the whole text, also where it came in pieces. An empty
                 list says that bytes came and meant nothing.
        Raises:
            ModelError: The provider refused, failed, broke off or could not be read. `retryable` says whether
                asking again may help. Nothing of the provider library's own error types passes.
        Cancel:  Safe. Closing the generator closes the connection to the provider before it returns.
        """
        ...

    async def aclose(self) -> None:
        """Give back what the model holds (connections, threads). Asking again afterwards opens it anew."""
        ...
