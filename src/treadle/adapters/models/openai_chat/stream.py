"""The bytes of a chat completion stream to what the model says.

In: bytes cut anywhere. Out: items of the model port, one list a read. Knows nothing of HTTP, of requests and of when to
try again. A turn has ended in good order when the end marker came, or a finish reason and then the end of the bytes.

Only `choices[0]` is read, for one is asked for. A `refusal` is speech to the user, so it is text. The old
`function_call` is not read.

Source: OpenAI API reference, "Streaming"; docs of compatible servers for what they add.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from treadle.adapters.models.openai_chat.failures import PROVIDER, in_stream
from treadle.adapters.models.openai_chat.mending import Mender
from treadle.adapters.models.openai_chat.payload import ChatPayload
from treadle.adapters.models.openai_chat.wire import CallPiece, Choice, Chunk, Usage, decode_chunk, decode_leniently
from treadle.codec.foreign import whole_text
from treadle.errors import ModelError, ModelGarbledError, ModelTruncatedError
from treadle.framing.sse import FrameTooLargeError, SseParser
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
        # Set while a character is cut over two events, or the present event is not UTF-8.
        self._tangled = False
        self._raw = False
        self._menders = {THINKING: Mender(), TEXT: Mender()}

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
            self._hear_choice(chunk.choices[0], items)
        if chunk.usage is not None:
            self._count(chunk.usage, items)
        if chunk.error:
            self._break(items, in_stream(chunk.error))
        elif chunk.choices is None and chunk.message is not None:
            self._break(items, in_stream({"message": chunk.message, "type": chunk.type, "code": chunk.code}))

    def _hear_choice(self, choice: Choice, items: list[ModelItem]) -> None:
        delta = choice.delta
        if delta is not None:
            if delta.reasoning_content or delta.reasoning:
                # Some gateways give the same thought in both fields.
                self._reasoning_field = "reasoning_content" if delta.reasoning_content else "reasoning"
                self._say(THINKING, delta.reasoning_content or delta.reasoning or "", items)
            if delta.content:
                self._say(TEXT, delta.content, items)
            if delta.refusal:
                self._say(TEXT, delta.refusal, items)
            for piece in delta.tool_calls or ():
                self._hear_call(piece, items)
        if choice.finish_reason:
            self._stop_reason = _STOP_REASONS.get(choice.finish_reason, StopReason.OTHER)

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
            self._hear(chunk, items)
            self._raw = False
            self._tangled = any(mender.holds for mender in self._menders.values())

    def _hear_unfinished(self, payload: bytes, items: list[ModelItem]) -> None:
        """The last event has no blank line after it. It counts if all of it is there."""
        if payload.strip() == END_MARKER:
            self._end_turn(items)
            return
        try:
            chunk = decode_chunk(payload)
        except msgspec.DecodeError:
            return
        self._hear(chunk, items)

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


def _garbled(message: str) -> ModelGarbledError:
    return ModelGarbledError(message, provider=PROVIDER)
