"""Chunks of the engine to what a model says: pieces, the call, the count of tokens, the end of the turn.

In: the engine's chunks, in the shape of chat completion chunks. Out: items of the model port. Knows no thread and no
event loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from treadle.adapters.models.local.call_text import CallText
from treadle.errors import ModelError, ModelGarbledError, ModelRefusedError, ModelTruncatedError, ModelUnavailableError
from treadle.kernel.call_arguments import read_arguments
from treadle.values.calls import ToolRequest
from treadle.values.model import ARGUMENTS, TEXT, CallNamed, ModelItem, ModelTurn, StopReason, TurnEnded, UsageTold
from treadle.values.usage import NO_USAGE, UsageDelta

PROVIDER: Final = "local"
CUT_CALL: Final = "the call was cut off at the token limit"

Chunk = Mapping[str, Any]


class Reading:
    """One turn, read chunk by chunk. With names of tools its text is a call of one of them, without it is an answer."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._call = CallText(names) if names else None
        self._texts: list[str] = []
        self._usage = NO_USAGE
        self._finish: str | None = None

    def feed(self, chunks: Iterable[Chunk]) -> list[ModelItem]:
        """What these chunks say. An empty list says that they meant nothing.

        Raises:
            ModelError: The engine refused the request or failed, or a chunk cannot be read.
        """
        items: list[ModelItem] = []
        before = self._usage
        for chunk in chunks:
            try:
                self._read(chunk, items)
            except (KeyError, IndexError, TypeError, AttributeError, ValueError) as wrong:
                raise ModelGarbledError(
                    "the local engine sent a chunk of an unknown shape", provider=PROVIDER
                ) from wrong
        if self._usage != before:
            items.append(UsageTold(usage=self._usage))
        return items

    def end(self) -> list[ModelItem]:
        """What is left to say when no chunk follows: the end of the turn.

        Raises:
            ModelTruncatedError: The engine never said that it had finished.
            ModelGarbledError: It finished, and what it wrote is no call though the grammar asks for one.
        """
        if self._finish is None:
            raise ModelTruncatedError("the local engine stopped without saying why", provider=PROVIDER)
        if self._call is None:
            stop = {"stop": StopReason.STOP, "length": StopReason.LENGTH}.get(self._finish, StopReason.OTHER)
            return [TurnEnded(turn=ModelTurn(text="".join(self._texts), usage=self._usage, stop_reason=stop))]
        return self._end_of_call(self._call, cut=self._finish == "length")

    def _end_of_call(self, call: CallText, *, cut: bool) -> list[ModelItem]:
        held = call.end(cut=cut)
        items: list[ModelItem] = [(ARGUMENTS, held)] if held else []
        if call.name is None:
            if not cut:
                raise ModelGarbledError(
                    "the local engine wrote no call where its grammar asks for one", provider=PROVIDER
                )
            turn = ModelTurn(usage=self._usage, stop_reason=StopReason.LENGTH, damage=CUT_CALL)
            return [TurnEnded(turn=turn)]
        arguments, damage = read_arguments(call.arguments)
        if cut:
            arguments, damage = {}, CUT_CALL
        request = ToolRequest(
            name=call.name,
            arguments=arguments,
            raw_arguments=call.arguments if damage else None,
            damage=damage,
        )
        # A damaged call is told to the model as a failed one. The label of a cut turn would end the run instead.
        stop = StopReason.OTHER if damage else StopReason.TOOL_CALLS
        turn = ModelTurn(tool_requests=(request,), usage=self._usage, stop_reason=stop)
        return [*items, TurnEnded(turn=turn)]

    def _read(self, chunk: Chunk, items: list[ModelItem]) -> None:
        if "error" in chunk:
            raise _failure(chunk["error"])
        for choice in chunk["choices"]:
            text = choice["delta"].get("content")
            if text:
                self._say(text, items)
            self._finish = choice["finish_reason"] or self._finish
        self._usage = _usage(chunk) or self._usage

    def _say(self, text: str, items: list[ModelItem]) -> None:
        if self._call is None:
            self._texts.append(text)
            items.append((TEXT, text))
            return
        unnamed = self._call.name is None
        piece = self._call.feed(text)
        if unnamed and self._call.name is not None:
            items.append(CallNamed(slot=0, name=self._call.name))
        if piece:
            items.append((ARGUMENTS, piece))


def _usage(chunk: Chunk) -> UsageDelta | None:
    """The count so far: the engine's own at the end, its timings until then."""
    told, timings = chunk.get("usage"), chunk.get("timings")
    if told:
        prompt, cached, said = (
            told["prompt_tokens"],
            told["prompt_tokens_details"]["cached_tokens"],
            told["completion_tokens"],
        )
    elif timings:
        cached, said = timings["cache_n"], timings["predicted_n"]
        prompt = timings["prompt_n"] + cached
    else:
        return None
    return UsageDelta(
        input_tokens=prompt,
        output_tokens=said,
        total_tokens=prompt + said,
        cache_read_tokens=cached,
        reported=frozenset({"input_tokens", "output_tokens", "total_tokens", "cache_read_tokens"}),
    )


def _failure(error: Mapping[str, Any]) -> ModelError:
    status, detail = int(error["code"]), str(error["message"])
    if error.get("type") == "exceed_context_size_error":
        told = (
            f"the prompt of {error['n_prompt_tokens']!r} tokens does not fit the {error['n_ctx']!r} of the local model"
        )
        return ModelRefusedError(told, provider=PROVIDER, status=status, detail=detail)
    if status >= 500:
        return ModelUnavailableError("the local engine failed", provider=PROVIDER, status=status, detail=detail)
    return ModelRefusedError("the local engine refused the request", provider=PROVIDER, status=status, detail=detail)
