"""What `useChat` posts, to what a person says with it.

In: the body of a post, in JSON terms. Out: a new message, or answers to what a run asked; or a refusal that names the
part. A client posts its whole history each time. It is a claim: of all of it only the newest message is looked at, and
of an answer of the assistant's only what the page has put into the last step of it. Nothing here is a right, and what a
pause really asked is held against it elsewhere.

Source: AI SDK UI message stream, version 1 (docs/protocols/vercel.md).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from treadle.codec.foreign import json_text
from treadle.codec.safe_integers import with_safe_integers
from treadle.errors import BadRequestError
from treadle.projections.vercel.wire import PAUSE
from treadle.values.mappings import Json
from treadle.values.requests import Attachment

MOST_MESSAGES: Final = 10_000
MOST_PARTS: Final = 10_000
"""Of one message."""
MOST_FILES: Final = 64
LONGEST_URL: Final = 8_192
"""Characters of an address that is not the file itself."""

_TOOL: Final = "tool-"
_DYNAMIC: Final = "dynamic-tool"
_STEP: Final = "step-start"


class ChatBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The body of a post. What a page adds of its own is left alone."""

    id: str
    messages: list[dict[str, Any]]
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    message_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSays:
    """A new message of the user's, or one that is to be answered again.

    Shape: `message_id` is the client's own name for the message; `again` is what it wants answered anew: the id of the
        answer, or "" where it does not say; None for a message that is just said.
    """

    message_id: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    again: str | None = None

    def key(self, salt: str) -> str:
        """A name of this start: the same for a post that is repeated, another for another text under the same id."""
        said = [self.message_id, self.text, *(_about(one) for one in self.attachments), self.again, salt]
        return f"vercel {hashlib.sha256(json_text(said).encode()).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPartSaid:
    """A tool part of the last step as the page gives it back.

    Shape: `approval_id` and `approved` where leave was asked and answered; `output` where the page gave one, `error`
        where it says that it could not. `pointer` says where it stands.
    """

    call_id: str
    pointer: str
    input: Json = None
    approval_id: str | None = None
    approved: bool = False
    has_output: bool = False
    output: Json = None
    error: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAnswers:
    """What a page and the person at it have put into the answer.

    Shape: `tokens` are those of pauses, by the pause's own id, as the message still holds them.
    """

    parts: tuple[ToolPartSaid, ...]
    tokens: Mapping[str, str]


def said_in(body: ChatBody) -> UserSays | PageAnswers:
    """What a post says.

    Raises:
        BadRequestError: It says nothing that can be heard. `pointer` says which part.
    """
    if not body.messages:
        raise BadRequestError("a post needs a message, came none", pointer="/messages")
    if len(body.messages) > MOST_MESSAGES:
        said = f"a post has at most {MOST_MESSAGES} messages, came {len(body.messages)}"
        raise BadRequestError(said, pointer="/messages")
    last = len(body.messages) - 1
    message, pointer = body.messages[last], f"/messages/{last}"
    role, parts = message.get("role"), _parts(message, pointer)
    if role == "user":
        again = (body.message_id or "") if body.trigger == "regenerate-message" else None
        return _user_says(message, parts, pointer, again)
    if role == "assistant" and body.trigger == "submit-message":
        return _page_answers(parts, pointer)
    expected = "of the user's" if role == "assistant" else "of the user's, or an answer with what the page has put in"
    raise BadRequestError(f"the newest message has to be {expected}, came role {role!r:.40}", pointer=f"{pointer}/role")


def is_same_input(posted: Json, asked: Json) -> bool:
    """Whether what a page posts back is what it was asked about, by the numbers that a browser has."""
    return _alike(posted, with_safe_integers(asked))


def _parts(message: Mapping[str, Any], pointer: str) -> list[Mapping[str, Any]]:
    parts = message.get("parts")
    if not isinstance(parts, Sequence) or isinstance(parts, str) or len(parts) > MOST_PARTS:
        raise BadRequestError(f"a message has a list of at most {MOST_PARTS} parts", pointer=f"{pointer}/parts")
    for at, part in enumerate(parts):
        if not (isinstance(part, Mapping) and isinstance(part.get("type"), str)):
            raise BadRequestError("a part is an object with a type", pointer=f"{pointer}/parts/{at}")
    return list(parts)


def _user_says(
    message: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], pointer: str, again: str | None
) -> UserSays:
    texts: list[str] = []
    files: list[Attachment] = []
    for at, part in enumerate(parts):
        here = f"{pointer}/parts/{at}"
        match part["type"]:
            case "text":
                texts.append(_text(part, "text", here))
            case "file":
                files.append(_file(part, here))
            case other:
                said = f"a message of the user's is made of parts 'text' and 'file', came {other!r:.60}"
                raise BadRequestError(said, pointer=f"{here}/type")
    text = "\n".join(texts)
    if not text.strip():
        raise BadRequestError("a message needs text", pointer=f"{pointer}/parts")
    if len(files) > MOST_FILES:
        raise BadRequestError(
            f"a message has at most {MOST_FILES} files, came {len(files)}", pointer=f"{pointer}/parts"
        )
    return UserSays(message_id=_text(message, "id", pointer), text=text, attachments=tuple(files), again=again)


def _file(part: Mapping[str, Any], pointer: str) -> Attachment:
    media_type, url = _text(part, "mediaType", pointer), _text(part, "url", pointer)
    name = _text(part, "filename", pointer) if part.get("filename") is not None else ""
    scheme, _, rest = url.partition(":")
    if scheme.lower() in ("http", "https") and len(url) <= LONGEST_URL:
        return Attachment(media_type=media_type, url=url, name=name)
    about, comma, content = rest.partition(",")
    if scheme.lower() == "data" and comma and about.lower().endswith(";base64"):
        try:
            data = base64.b64decode(content, validate=True)
        except (ValueError, binascii.Error):
            data = b""
        if data:
            return Attachment(media_type=media_type, data=data, name=name)
    said = f"a file is an address of http or https, or data in base64 that is not empty; came {url!r:.60}"
    raise BadRequestError(said, pointer=f"{pointer}/url")


def _page_answers(parts: Sequence[Mapping[str, Any]], pointer: str) -> PageAnswers:
    begins = max((at for at, part in enumerate(parts) if part["type"] == _STEP), default=-1)
    told = [
        _tool_part(part, f"{pointer}/parts/{at}")
        for at, part in enumerate(parts)
        if at > begins and (part["type"] == _DYNAMIC or part["type"].startswith(_TOOL))
    ]
    tokens = {}
    for part in parts:
        data = part.get("data")
        if part["type"] == PAUSE and isinstance(data, Mapping):
            named, token = data.get("interruptId"), data.get("token")
            if isinstance(named, str) and isinstance(token, str):
                tokens[named] = token
    return PageAnswers(parts=tuple(part for part in told if part is not None), tokens=tokens)


def _tool_part(part: Mapping[str, Any], pointer: str) -> ToolPartSaid | None:
    """A tool part with something to it; None for one that nobody has answered."""
    call_id = _text(part, "toolCallId", pointer)
    match part.get("state"):
        case "approval-responded":
            approval = part.get("approval")
            if not (isinstance(approval, Mapping) and isinstance(approval.get("approved"), bool)):
                raise BadRequestError("an approval has an id, and says true or false", pointer=f"{pointer}/approval")
            return ToolPartSaid(
                call_id=call_id,
                pointer=pointer,
                input=part.get("input"),
                approval_id=_text(approval, "id", f"{pointer}/approval"),
                approved=approval["approved"],
                reason=_reason(approval, f"{pointer}/approval"),
            )
        case "output-available" if part.get("preliminary") is not True:
            return ToolPartSaid(call_id=call_id, pointer=pointer, has_output=True, output=part.get("output"))
        case "output-error":
            return ToolPartSaid(call_id=call_id, pointer=pointer, error=_text(part, "errorText", pointer))
        case _:
            return None


def _reason(approval: Mapping[str, Any], pointer: str) -> str | None:
    return _text(approval, "reason", pointer) if approval.get("reason") is not None else None


def _text(of: Mapping[str, Any], name: str, pointer: str) -> str:
    value = of.get(name)
    if not isinstance(value, str):
        raise BadRequestError(f"{name!r} is text, came {type(value).__name__}", pointer=f"{pointer}/{name}")
    return value


def _about(attachment: Attachment) -> list[str]:
    content = hashlib.sha256(attachment.data).hexdigest() if attachment.data else attachment.url
    return [attachment.media_type, attachment.name, content]


def _alike(one: Json, other: Json) -> bool:
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return bool(one == other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_alike(value, other[name]) for name, value in one.items())
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one) == len(other) and all(map(_alike, one, other))
    return False
