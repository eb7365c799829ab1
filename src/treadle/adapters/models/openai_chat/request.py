"""A question to a model, as the body of a chat completion request.

In: a `ModelRequest`. Out: messages and tools in the words of the wire. Knows nothing of the SDK and of options.

Shape of what is sent:
    system     instructions and system blocks, in one message; none where there are none
    user       text, or parts where files stand beside it
    assistant  a turn: its text, its calls with arguments that are JSON objects (`{}` for damaged ones: the result says
               what broke), what its provider wants back. A cut turn is its text alone. An empty one is left out
    tool       one message for each call, right after the calls and in their order: text as it is, else compact JSON; an
               outcome that is an error is a JSON object with its status and its text
Call ids are the provider's own; one that is missing or was used before in this request is replaced by ours, alike in
call and result.

Source: OpenAI API reference, "Create chat completion".
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any, Final

from treadle.adapters.models.openai_chat.failures import PROVIDER
from treadle.adapters.models.openai_chat.payload import ChatPayload
from treadle.codec.foreign import json_text
from treadle.errors import ModelRefusedError
from treadle.framing.surrogates import whole_text
from treadle.ports.model import ModelRequest
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.mappings import thawed
from treadle.values.requests import Attachment, PromptAssembly, TurnMessage, UserMessage
from treadle.values.tools import ToolSpec

Wire = dict[str, Any]

MAX_NAME_CHARS: Final = 64
MAX_ID_CHARS: Final = 40
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_IN_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_AUDIO_FORMATS: Final = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def chat_messages(request: ModelRequest) -> list[Wire]:
    """All that the model is told, in order.

    Raises:
        ModelRefusedError: A file beside the prompt is of a kind that this wire cannot carry.
    """
    transcript = _Transcript(frozenset(tool.name for tool in request.tools))
    prompt = request.prompt
    transcript.add_system(prompt)
    for message in prompt.history:
        match message:
            case UserMessage():
                transcript.add_user(message.text, message.attachments)
            case TurnMessage():
                transcript.add_turn(message)
    transcript.add_user(prompt.prompt, prompt.attachments)
    for turn in request.turns:
        transcript.add_turn(turn)
    return transcript.messages


def chat_tools(tools: tuple[ToolSpec, ...]) -> list[Wire]:
    """The tools a model may call."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": whole_text(tool.description),
                "parameters": thawed(tool.parameters),
            },
        }
        for tool in tools
    ]


class _Transcript:
    def __init__(self, tool_names: frozenset[str]) -> None:
        self.messages: list[Wire] = []
        self._tool_names = tool_names
        self._used_ids: set[str] = set()

    def add_system(self, prompt: PromptAssembly) -> None:
        blocks = [block for block in (prompt.instructions, *prompt.system_blocks) if block]
        if blocks:
            self.messages.append({"role": "system", "content": whole_text("\n\n".join(blocks))})

    def add_user(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        content: str | list[Wire] = whole_text(text)
        if attachments:
            words = [{"type": "text", "text": content}] if content else []
            content = [*words, *(_part(attachment) for attachment in attachments)]
        self.messages.append({"role": "user", "content": content})

    def add_turn(self, message: TurnMessage) -> None:
        turn = message.turn
        text = whole_text(turn.text)
        requests = () if message.cut else turn.tool_requests
        if not text and not requests:
            return
        said: Wire = {"role": "assistant", "content": text or None}
        self.messages.append(said)
        if not requests:
            return
        payload = turn.payload if isinstance(turn.payload, ChatPayload) else ChatPayload()
        if payload.reasoning_field and turn.thinking:
            said[payload.reasoning_field] = turn.thinking
        ids = [self._fresh_id(request) for request in requests]
        seals = payload.call_seals
        said["tool_calls"] = [
            self._call(ids[slot], request) | ({"extra_content": thawed(seals[str(slot)])} if str(slot) in seals else {})
            for slot, request in enumerate(requests)
        ]
        outcomes = {outcome.call_id: outcome for outcome in message.outcomes}
        for call_id, request in zip(ids, requests, strict=True):
            content = _result(outcomes.get(request.call_id))
            self.messages.append({"role": "tool", "tool_call_id": call_id, "content": content})

    def _call(self, call_id: str, request: ToolRequest) -> Wire:
        arguments = "{}" if request.damage else json_text(request.arguments)
        function = {"name": self._name(request.name), "arguments": arguments}
        return {"id": call_id, "type": "function", "function": function}

    def _name(self, name: str) -> str:
        """A provider refuses a whole request for a name that the model made up against its rules."""
        if name in self._tool_names or _NAME.fullmatch(name):
            return name
        return _NOT_IN_NAME.sub("_", name)[:MAX_NAME_CHARS] or "unnamed"

    def _fresh_id(self, request: ToolRequest) -> str:
        for wanted in (request.provider_id, request.call_id[-MAX_ID_CHARS:]):
            if wanted and wanted not in self._used_ids:
                break
        else:
            wanted = f"call_{len(self._used_ids)}"
            while wanted in self._used_ids:
                wanted += "_"
        self._used_ids.add(wanted)
        return wanted


def _result(outcome: ToolOutcome | None) -> str:
    if outcome is None:
        return json_text({"status": ToolStatus.UNKNOWN.value, "error": "nothing is known of what came of this call"})
    if outcome.is_error:
        return json_text({"status": outcome.status.value, "error": whole_text(outcome.error or "")})
    return whole_text(outcome.content) if isinstance(outcome.content, str) else json_text(outcome.content)


def _part(attachment: Attachment) -> Wire:
    kind = attachment.media_type.partition(";")[0].strip().lower()
    if kind.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": attachment.url or _data_url(kind, attachment.data)}}
    if kind in _AUDIO_FORMATS and attachment.data:
        audio = {"data": b64encode(attachment.data).decode(), "format": _AUDIO_FORMATS[kind]}
        return {"type": "input_audio", "input_audio": audio}
    if kind == "application/pdf" and attachment.data:
        name = whole_text(attachment.name) or "file.pdf"
        return {"type": "file", "file": {"filename": name, "file_data": _data_url(kind, attachment.data)}}
    raise ModelRefusedError(
        f"files this wire carries are images, and PDF, WAV and MP3 given as data, not {attachment.media_type!r}",
        provider=PROVIDER,
    )


def _data_url(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{b64encode(data).decode()}"
