"""What is open on the wire: a text or a reasoning message, tool calls, a step; and the messages that come of them.

In: what a run does, in order. Out: frames that open, fill and close, so that nothing is filled that is not open and
nothing is open at an end. What is closed last was opened first.

Source: docs/protocols/agui.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from treadle.projections.agui import wire
from treadle.projections.agui.messages import Call, Message, Messages, Role
from treadle.projections.agui.wire import frame, quoted
from treadle.values.calls import ToolOutcome
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, TEXT

Speech = tuple[str, int | CallId]
"""A kind of speech, and its passage or its call."""


class Brackets:
    """The brackets of one run. What they say is added to `said`.

    Shape: `speaking` is what was said last; `template` is all of its frame but the piece. `calls` are those without a
        result.
    """

    __slots__ = (
        "_limit",
        "_made",
        "_message",
        "_pieces",
        "_run_id",
        "_step",
        "calls",
        "messages",
        "said",
        "speaking",
        "template",
    )

    def __init__(self, run_id: RunId) -> None:
        self.said: list[str] = []
        self.messages = Messages()
        self.calls: dict[CallId, Call] = {}
        self.speaking: Speech | None = None
        self.template = ""
        self._run_id = run_id
        self._message: Message | None = None
        self._pieces: list[str] = []
        self._step: str | None = None
        self._made = 0
        self._limit = 0

    def begin(self, message_id: str, prompt: str, *, tool_call_limit: int) -> None:
        """The run begins with what its user says, which the client knows."""
        self.messages.add(Message(message_id or f"{self._run_id}.user", Role.USER, [prompt]))
        self._limit = tool_call_limit

    # Speech.

    def hear(self, kind: str, key: int | CallId, texts: Sequence[str]) -> None:
        """Open what these pieces belong to, if it is not open, and remember them."""
        if self.speaking != (kind, key):
            self._speak(kind, key)
        self._pieces += texts

    def _speak(self, kind: str, key: int | CallId) -> None:
        if kind == ARGUMENTS:
            self.close_speech()
            call = self.call(CallId(str(key)), "")
            self._pieces, self.template = call.parts, wire.arguments_template(call.call_id)
        else:
            self._open(kind, f"{self._run_id}.p{key}")
        self.speaking = (kind, key)

    def _open(self, kind: str, message_id: str) -> None:
        self.close_speech()
        is_text = kind == TEXT
        message = Message(message_id, Role.ASSISTANT if is_text else Role.REASONING)
        self._message = self.messages.add(message)
        self.said += _opening(message)
        self._pieces = message.parts
        self.template = wire.text_template(message_id) if is_text else wire.reasoning_template(message_id)

    def close_speech(self) -> None:
        """No text and no reasoning goes on."""
        self.speaking = None
        if self._message is not None:
            self.said += _closing(self._message)
            self._message.close()
            self._message = None

    # Calls.

    def call(self, call_id: CallId, name: str) -> Call:
        """A call that is told, told now if it was not. One whose name may not be known is named by its number."""
        call = self.calls.get(call_id)
        if call is None:
            self.close_speech()
            self._made += 1
            call = self.calls[call_id] = Call(call_id, name or self._number())
            parent = self.messages.call(call)
            self.said.append(wire.call_started(call_id, call.name, parent))
        return call

    def arguments(self, call: Call, text: str) -> None:
        """The arguments of a call that were not said in pieces, whole; nothing where they were."""
        if not call.is_ended and not call.parts:
            call.parts.append(text)
            self.said.append(f"{wire.arguments_template(call.call_id)}{quoted(text)}}}")

    def end_call(self, call: Call) -> None:
        """The arguments of a call are whole."""
        if not call.is_ended:
            call.is_ended = True
            self.said.append(wire.call_ended(call.call_id))

    def end_told_calls(self) -> None:
        """The model's turn is over: what was said of arguments is all of them."""
        for call in self.calls.values():
            if call.parts:
                self.end_call(call)

    def settle(self, call: Call, outcome: ToolOutcome) -> None:
        """A call has its result, and is done with."""
        self.end_call(call)
        del self.calls[CallId(call.call_id)]
        content = wire.content_text(outcome.content) if outcome.error is None else outcome.error
        metadata = wire.json_of(_timing(outcome))
        message = Message(f"{call.call_id}.result", Role.TOOL, [content], call_id=call.call_id, metadata=metadata)
        self.messages.result(message)
        self.said.append(wire.call_result(call.call_id, message_id=message.id, content=content, metadata=metadata))

    # Steps, and all of it.

    def begin_attempt(self, step: str) -> None:
        """A model is asked: in the step at hand, or in the next one."""
        self.close_speech()
        self.messages.begin_attempt()
        if self._step != step:
            self._end_step()
            self._step = step
            self.said.append(frame("STEP_STARTED", stepName=quoted(step)))

    def retract(self) -> None:
        """What the attempt at hand has said is void."""
        self._close_calls()
        self.calls.clear()
        self.messages.retract()

    def close(self) -> None:
        """Close everything."""
        self._close_calls()
        self._end_step()

    def reopened(self) -> Iterable[str]:
        """What opens again that which is open, for a client who was told of it by a snapshot."""
        if self._step is not None:
            yield frame("STEP_STARTED", stepName=quoted(self._step))
        if self._message is not None:
            yield from _opening(self._message)
        for call in self.calls.values():
            if not call.is_ended:
                yield wire.call_started(call.call_id, call.name, None)

    def _close_calls(self) -> None:
        self.close_speech()
        for call in reversed(self.calls.values()):
            self.end_call(call)

    def _end_step(self) -> None:
        if self._step is not None:
            self.said.append(frame("STEP_FINISHED", stepName=quoted(self._step)))
            self._step = None

    def _number(self) -> str:
        return f"step {self._made}/{self._limit}" if self._made <= self._limit else f"step {self._made}"


def _opening(message: Message) -> Sequence[str]:
    if message.role is Role.ASSISTANT:
        return (wire.text_started(message.id),)
    return wire.reasoning_started(message.id)


def _closing(message: Message) -> Sequence[str]:
    if message.role is Role.ASSISTANT:
        return (wire.text_ended(message.id),)
    return wire.reasoning_ended(message.id)


def _timing(outcome: ToolOutcome) -> dict[str, object]:
    """How a call ended. One that never ran has no time to tell, and 0 would look like one."""
    told: dict[str, object] = {"status": outcome.status.value}
    if outcome.duration_ms:
        told["durationMs"] = outcome.duration_ms
    if outcome.error is not None:
        told["error"] = outcome.error
    return told
