"""What an AG-UI client posts, to what a person says with it.

In: the body of a post. Out: a new message, or answers to what a run asked, or that nothing new was said; and the
messages that the client holds, to be said back to it alone. A client posts its whole history each time. It is a claim:
of all of it only the newest message is heard, and the results of calls that stand behind everything else. Its tools,
state, context and forwarded properties grant nothing and instruct nobody.

Source: AG-UI 1.0, RunAgentInput (docs/protocols/agui.md).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from treadle.errors import BadRequestError
from treadle.projections.agui.messages import Told
from treadle.projections.agui.wire import json_of
from treadle.values.mappings import Json
from treadle.values.requests import Attachment

MOST_MESSAGES: Final = 10_000
MOST_PARTS: Final = 256
"""Of one message that is heard."""
LONGEST_URL: Final = 8_192
"""Characters of an address."""

_FILES: Final = frozenset({"image", "audio", "video", "document"})
_TEXTS: Final = frozenset({"system", "developer", "user", "assistant", "tool", "reasoning"})
"""Roles of messages that are said back. Activities are a client's own, and never come."""


class Resume(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An answer to one interrupt."""

    interrupt_id: str
    status: Literal["resolved", "cancelled"]
    payload: Any = None


class RunAgentInput(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The body of a post, as far as it is heard."""

    thread_id: str
    run_id: str
    messages: list[dict[str, Any]]
    parent_run_id: str | None = None
    resume: list[Resume] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSays:
    """A message of the user's. `message_id` is the client's own name for it."""

    message_id: str
    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSays:
    """What the front end says that came of a call. `error` where it failed."""

    call_id: str
    content: Json
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Answers to interrupts, and results of calls that the front end runs.

    Shape: `newest_user_id` is the id of the newest message, if that is a user's.
    """

    resume: tuple[Resume, ...]
    results: tuple[CallSays, ...]
    newest_user_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingNew:
    """The client has heard all that there is to answer, or comes back for the rest."""


def said_in(body: RunAgentInput) -> UserSays | Answered | NothingNew:
    """What a post says.

    Raises:
        BadRequestError: It says what cannot be heard. `pointer` says which part.
    """
    if len(body.messages) > MOST_MESSAGES:
        raise BadRequestError(f"a post has at most {MOST_MESSAGES} messages", pointer="/messages")
    last = len(body.messages) - 1
    newest = body.messages[last] if body.messages else {}
    is_user = newest.get("role") == "user"
    results = _results(body.messages)
    if body.resume or results:
        said = _text_field(newest, "id", f"/messages/{last}") if is_user else None
        return Answered(resume=tuple(body.resume or ()), results=results, newest_user_id=said)
    return _user_says(newest, f"/messages/{last}") if is_user else NothingNew()


def held_in(body: RunAgentInput) -> tuple[Told, ...]:
    """The messages that a client holds, as it posted them; what none could hold is left out."""
    held = {}
    for message in body.messages:
        named, role = message.get("id"), message.get("role")
        if isinstance(named, str) and isinstance(role, str) and role in _TEXTS:
            # An optional field that is null is refused on the way back.
            held[named] = json_of({name: value for name, value in message.items() if value is not None})
    return tuple(held.items())


def _results(messages: Sequence[Mapping[str, Any]]) -> tuple[CallSays, ...]:
    """The results that stand behind everything else that was said."""
    begins = len(messages)
    while begins and messages[begins - 1].get("role") == "tool":
        begins -= 1
    return tuple(_result(messages[at], f"/messages/{at}") for at in range(begins, len(messages)))


def _result(message: Mapping[str, Any], pointer: str) -> CallSays:
    content, error = message.get("content"), message.get("error")
    if not (error is None or isinstance(error, str)):
        raise BadRequestError(f"expected text, came {type(error).__name__}", pointer=f"{pointer}/error")
    if not isinstance(content, str | list | tuple):
        raise BadRequestError(f"expected text or parts, came {type(content).__name__}", pointer=f"{pointer}/content")
    return CallSays(call_id=_text_field(message, "toolCallId", pointer), content=content, error=error or None)


def _user_says(message: Mapping[str, Any], pointer: str) -> UserSays:
    named = _text_field(message, "id", pointer)
    content, pointer = message.get("content"), f"{pointer}/content"
    if isinstance(content, str):
        return UserSays(message_id=named, text=content)
    if not isinstance(content, list | tuple) or len(content) > MOST_PARTS:
        raise BadRequestError(f"expected text, or a list of at most {MOST_PARTS} parts", pointer=pointer)
    texts: list[str] = []
    files: list[Attachment] = []
    for at, part in enumerate(content):
        here = f"{pointer}/{at}"
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind == "text":
            texts.append(_text_field(part, "text", here))
        elif isinstance(kind, str) and kind in _FILES:
            files.append(_file(part.get("source"), f"{here}/source"))
        else:
            known = ", ".join(sorted({"text", *_FILES}))
            raise BadRequestError(f"expected a part of type {known}, came {kind!r:.40}", pointer=f"{here}/type")
    return UserSays(message_id=named, text="\n".join(texts), attachments=tuple(files))


def _file(source: object, pointer: str) -> Attachment:
    given = source if isinstance(source, Mapping) else {}
    value, media_type = given.get("value"), given.get("mimeType") or "application/octet-stream"
    if isinstance(value, str) and value and isinstance(media_type, str):
        if given.get("type") == "data":
            return Attachment(media_type=media_type, data=_decoded(value, pointer))
        if given.get("type") == "url" and value.startswith(("https://", "http://")) and len(value) <= LONGEST_URL:
            return Attachment(media_type=media_type, url=value)
    said = "expected a source with data in base64 and its mimeType, or with an http(s) url"
    raise BadRequestError(said, pointer=pointer)


def _decoded(value: str, pointer: str) -> bytes:
    try:
        data = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data:
        raise BadRequestError("expected data in base64", pointer=f"{pointer}/value")
    return data


def _text_field(holder: Mapping[str, Any], name: str, pointer: str) -> str:
    value = holder.get(name)
    if not isinstance(value, str) or not value:
        came = "none" if value is None else f"{value!r:.40}"
        raise BadRequestError(f"expected text, came {came}", pointer=f"{pointer}/{name}")
    return value
