"""The bytes of a chat completion stream to what the model says.

In: bytes cut anywhere. Out: items of the model port, one list a read. Knows nothing of HTTP, of requests and of when to
try again.

A turn has ended in good order when the end marker came, for that is what the marker says, with or without a finish
reason; or a finish reason and then the end of the bytes. The end of the bytes with neither is a cut answer.

Only the choice at index 0 is read, for one is asked for. A `refusal` is speech to the user, so it is text. An event
whose fields have odd types is read field by field, see `tolerance`. Servers that say nothing in deltas are heard where
they speak: a whole `message` or a `text` in the choice; a `function_call` is a call without an id at index 0. Each is
passed over where the deltas have said it already.

Source: OpenAI API reference, "Streaming"; docs of compatible servers for what they add.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from treadle.adapters.models.openai_chat.failures import PROVIDER, in_stream
from treadle.adapters.models.openai_chat.mending import Mender
from treadle.adapters.models.openai_chat.payload import ChatPayload
from treadle.adapters.models.openai_chat.wire import (
    CallFunction,
    CallPiece,
    Choice,
    Chunk,
    Delta,
    Usage,
    decode_chunk,
    decode_leniently,
)
from treadle.errors import ModelError, ModelGarbledError, ModelTruncatedError
from treadle.framing.sse import FrameTooLargeError, SseParser
from treadle.framing.surrogates import whole_text
from treadle.kernel.call_book import CallBook
from treadle.values.model import TEXT, THINKING, ModelItem, ModelTurn, StopReason, TurnEnded, UsageTold
from treadle.values.usage import NO_USAGE, UsageDelta

END_MARKER: Final = b"[DONE]"
EVENT_STREAM: Final = "text/event-stream"

_STOP_REASONS: Final = {
    "stop": StopReason.STOP,
    "tool_calls": StopReason.TOOL_CALLS,
    "function_call": StopReason.TOOL_CALLS,
    "length": StopReason.LENGTH,
    "content_filter": StopReason.CONTENT_FILTER,
}


class ChatStream:
    """One answer, read as it comes.

    Shape:  nothing is raised: what broke stands in `failure`, after all that came before it was given out.
    """

    def __init__(self, *, content_type: str = EVENT_STREAM) -> None:
        self.is_over = False
        """Nothing more will be read: the turn has ended, or `failure` says why it has not."""
        self.failure: ModelError | None = None
        self._content_type = content_type
        self._parser = SseParser()
        self._heard = False
        self._said: dict[str, list[str]] = {THINKING: [], TEXT: []}
        self._calls = CallBook()
        self._seals: dict[str, Any] = {}
        self._counts: dict[str, Any] = {}
        self._usage = NO_USAGE
        self._stop_reason: StopReason | None = None
        self._reasoning_field = ""
        self._call_field = ""
        self._speaks_apart = False  # in `message` or `text`, because no delta said anything before
        # Set while a character is cut over two events, or the present event is not UTF-8.
        self._tangled = False
        self._raw = False
        self._menders = {THINKING: Mender(), TEXT: Mender()}

    @property
    def has_finished(self) -> bool:
        """No more of the answer is due: a finish reason came, or nothing more will be read."""
        return self._stop_reason is not None or self.is_over

    def feed(self, data: bytes) -> list[ModelItem]:
        """Read on; give what these bytes complete. What comes after the end is not read."""
        items: list[ModelItem] = []
        try:
            payloads = self._parser.data_payloads(data)
        except FrameTooLargeError as error:
            self._break(items, _garbled(f"an event is longer than {error.limit_bytes} bytes"))
            return items
        for payload in payloads:
            if self.is_over:
                break
            try:
                chunk = decode_chunk(payload)
            except msgspec.DecodeError:
                self._hear_odd(payload, items)
            else:
                self._hear(chunk, items)
        return items

    def end(self) -> list[ModelItem]:
        """The bytes are over: the rest, with the end of the turn if it has one."""
        items: list[ModelItem] = []
        unfinished = None if self.is_over else self._parser.unfinished
        if unfinished is not None:
            self._hear_unfinished(unfinished.data, items)
        if self.is_over:
            return items
        if self._stop_reason is not None:
            self._end_turn(items)
        elif self._heard or unfinished is not None or EVENT_STREAM in self._content_type.lower():
            self._break(items, ModelTruncatedError("the provider's stream ended in mid answer", provider=PROVIDER))
        else:
            self._break(items, _garbled("the provider answered with no event stream"))
        return items

    def _hear(self, chunk: Chunk, items: list[ModelItem]) -> None:
        self._heard = True
        if chunk.choices:
            choice = chunk.choices[0]
            if choice.index:
                choice = _asked_for(chunk.choices)
            if choice.delta is not None:
                self._hear_delta(choice.delta, items)
            if choice.message is not None or choice.text:
                self._hear_apart(choice, items)
            if choice.finish_reason:
                self._stop_reason = _STOP_REASONS.get(choice.finish_reason, StopReason.OTHER)
        if chunk.usage is not None:
            self._count(chunk.usage, items)
        if chunk.error:
            self._break(items, in_stream(chunk.error))
        elif chunk.choices is None and chunk.message is not None:
            self._break(items, in_stream({"message": chunk.message, "type": chunk.type, "code": chunk.code}))

    def _hear_delta(self, delta: Delta, items: list[ModelItem]) -> None:
        if delta.reasoning_content or delta.reasoning:
            # Some gateways give the same thought in both fields.
            self._reasoning_field = "reasoning_content" if delta.reasoning_content else "reasoning"
            self._say(THINKING, delta.reasoning_content or delta.reasoning or "", items)
        if delta.content:
            self._say(TEXT, delta.content, items)
        if delta.refusal:
            self._say(TEXT, delta.refusal, items)
        if delta.tool_calls:
            self._call_field = "tool_calls"
            for piece in delta.tool_calls:
                self._hear_call(piece, items)
        if delta.function_call is not None:
            self._hear_function(delta.function_call, items)

    def _hear_apart(self, choice: Choice, items: list[ModelItem]) -> None:
        """Speech outside of deltas. Where a delta has spoken, it repeats that."""
        if self._has_spoken and not self._speaks_apart:
            return
        if choice.message is not None:
            self._hear_delta(choice.message, items)
        elif choice.text:
            self._say(TEXT, choice.text, items)
        self._speaks_apart = self._has_spoken

    @property
    def _has_spoken(self) -> bool:
        return bool(self._said[TEXT] or self._said[THINKING] or self._call_field)

    def _say(self, kind: str, text: str, items: list[ModelItem]) -> None:
        if self._tangled:
            text = self._mended(kind, text)
        if text:
            self._said[kind].append(text)
            items.append((kind, text))

    def _hear_call(self, piece: CallPiece, items: list[ModelItem]) -> None:
        function = piece.function
        items += self._calls.fragment(
            index=piece.index,
            provider_id=piece.id,
            name=function.name if function else None,
            arguments=function.arguments if function else None,
        )
        if piece.extra_content is not None and piece.id:
            self._seals[piece.id] = piece.extra_content

    def _hear_function(self, function: CallFunction, items: list[ModelItem]) -> None:
        """The old form of a call. Some gateways give it beside the new one."""
        if self._call_field != "tool_calls" and (function.name or function.arguments):
            self._call_field = "function_call"
            items += self._calls.fragment(index=0, provider_id=None, name=function.name, arguments=function.arguments)

    def _hear_odd(self, payload: bytes, items: list[ModelItem]) -> None:
        """An event that is the end marker, empty, not quite JSON, or not what it should be."""
        stripped = payload.strip()
        if stripped == END_MARKER:
            self._end_turn(items)
        elif stripped:
            try:
                chunk, self._raw = decode_leniently(payload)
            except ValueError as error:
                self._break(items, _garbled("the provider sent an event that cannot be read"), cause=error)
                return
            self._tangled = True
            if chunk is not None:
                self._hear(chunk, items)
            self._raw = False
            self._tangled = any(mender.holds for mender in self._menders.values())

    def _hear_unfinished(self, payload: bytes, items: list[ModelItem]) -> None:
        """The last event has no blank line after it. It counts if all of it is there."""
        if payload.strip() == END_MARKER:
            self._end_turn(items)
            return
        try:
            decode_leniently(payload)
        except ValueError:
            return
        self._hear_odd(payload, items)

    def _mended(self, kind: str, text: str) -> str:
        mender = self._menders[kind]
        mended = mender.feed_raw(text) if self._raw else mender.feed(text)
        if not self._raw:
            self._tangled = any(mender.holds for mender in self._menders.values())
        return mended

    def _count(self, told: Usage, items: list[ModelItem]) -> None:
        """Counts are cumulative: a later one replaces an earlier one, and silence replaces nothing."""
        prompt, completion = told.prompt_tokens_details, told.completion_tokens_details
        counts = {
            "input_tokens": told.prompt_tokens,
            "output_tokens": told.completion_tokens,
            "total_tokens": told.total_tokens,
            "cache_read_tokens": prompt.cached_tokens if prompt else None,
            "cache_creation_tokens": prompt.cache_write_tokens if prompt else None,
            "reasoning_tokens": completion.reasoning_tokens if completion else None,
        }
        self._counts |= {name: count for name, count in counts.items() if count is not None}
        usage = UsageDelta(**self._counts, reported=frozenset(self._counts))
        if usage != self._usage:
            self._usage = usage
            items.append(UsageTold(usage=usage))

    def _end_turn(self, items: list[ModelItem]) -> None:
        self._let_go(items)
        self.is_over = True
        requests, damage = self._calls.finish()
        turn = ModelTurn(
            text=whole_text("".join(self._said[TEXT])),
            tool_requests=requests,
            usage=self._usage,
            stop_reason=self._stop_reason,
            payload=self._payload([request.provider_id for request in requests]),
            damage=damage,
            thinking=whole_text("".join(self._said[THINKING])),
        )
        items.append(TurnEnded(turn=turn))

    def _payload(self, provider_ids: list[str]) -> ChatPayload | None:
        seals = {str(slot): self._seals[name] for slot, name in enumerate(provider_ids) if name in self._seals}
        if not seals and not self._reasoning_field:
            return None
        return ChatPayload(reasoning_field=self._reasoning_field, call_seals=seals)

    def _break(self, items: list[ModelItem], failure: ModelError, *, cause: Exception | None = None) -> None:
        if not self.is_over:
            self._let_go(items)
            self.is_over = True
            self.failure = failure
            failure.__cause__ = cause

    def _let_go(self, items: list[ModelItem]) -> None:
        """No other half comes now for what is held."""
        self._tangled = False
        for kind, mender in self._menders.items():
            self._say(kind, mender.flush(), items)


def _asked_for(choices: list[Choice]) -> Choice:
    """The first choice at index 0; one that says nothing where there is none."""
    return next((choice for choice in choices if not choice.index), Choice())


def _garbled(message: str) -> ModelGarbledError:
    return ModelGarbledError(message, provider=PROVIDER)
