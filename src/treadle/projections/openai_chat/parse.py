"""The body of a chat completion, to what a run is started or answered with.

In: a body, typed. Out: a request: a new message with the text that went before it, or answers. The last message
decides: a user's begins a run, and results of tools answer the pauses that their ids are tokens of.

Law: what a client sends as history is text, said by a user or by the assistant. System, developer and tool messages
that stand in it instruct nobody and grant nothing; they are passed over. Whatever asks for something that is not done
here, and would be missed, is refused.

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Final, NamedTuple

import msgspec

from treadle.errors import BadRequestError
from treadle.values.model import ModelTurn
from treadle.values.requests import HistoryMessage, TurnMessage, UserMessage

_PASSED_OVER: Final = frozenset({"system", "developer"})
_RESULTS: Final = frozenset({"tool", "function"})
_ROLES: Final = _PASSED_OVER | _RESULTS | {"user", "assistant"}
_TEXT_PARTS: Final[Mapping[str, str]] = {"text": "text", "refusal": "refusal"}
"""Parts of a message that are text, and the field that holds it."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message. Fields that are not here say nothing to us."""

    role: str
    content: Any = None
    tool_call_id: str | None = None


class StreamOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a stream is told."""

    include_usage: bool | None = None


class ChatBody(msgspec.Struct, frozen=True, kw_only=True):
    """The body. Fields that are not here say nothing to us: how a model is sampled is the agent's affair."""

    model: str
    messages: list[Message]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    tools: list[Any] | None = None
    tool_choice: Any = None
    functions: Any = None
    function_call: Any = None
    response_format: Any = None
    modalities: list[Any] | None = None
    audio: Any = None
    logprobs: bool | None = None
    stop: Any = None
    web_search_options: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said to one pause: the token it was shown with, and a text."""

    token: str
    text: str
    pointer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is asked.

    Shape: either `prompt` has text, or there are `answers`.
    """

    model: str
    stream: bool
    include_usage: bool
    prompt: str = ""
    history: tuple[HistoryMessage, ...] = ()
    answers: tuple[Said, ...] = ()


def chat_request(body: ChatBody) -> ChatRequest:
    """What a body asks for.

    Raises:
        BadRequestError: It asks for nothing, or for what is not done here. `pointer` says where.
    """
    _refuse_what_is_not_done(body)
    told = [_Placed(f"/messages/{at}", one) for at, one in enumerate(body.messages)]
    for one in told:
        _check_role(one)
    told = [one for one in told if one.message.role not in _PASSED_OVER]
    if not told:
        raise BadRequestError("expected a message of a user, came none", pointer="/messages")
    options = body.stream_options
    asked = ChatRequest(
        model=body.model,
        stream=bool(body.stream),
        include_usage=options is not None and bool(options.include_usage),
    )
    match told[-1].message.role:
        case "user":
            prompt = _text_of(told[-1])
            if not prompt.strip():
                raise BadRequestError("a message of a user needs text", pointer=f"{told[-1].pointer}/content")
            return replace(asked, prompt=prompt, history=_history(told[:-1]))
        case "tool":
            return replace(asked, answers=_answers(told))
        case role:
            said = f"expected the last message to be a user's, or the result of a tool, came one of role {role!r}"
            raise BadRequestError(said, pointer=f"{told[-1].pointer}/role")


class _Placed(NamedTuple):
    pointer: str
    message: Message


def _check_role(placed: _Placed) -> None:
    if placed.message.role not in _ROLES:
        said = f"a role is one of {', '.join(sorted(_ROLES))}, not {placed.message.role[:40]!r}"
        raise BadRequestError(said, pointer=f"{placed.pointer}/role")


def _answers(told: Sequence[_Placed]) -> tuple[Said, ...]:
    """The results of tools that stand last, one behind the other."""
    last = list(takewhile(lambda placed: placed.message.role == "tool", reversed(told)))
    return tuple(_answer(placed) for placed in reversed(last))


def _answer(placed: _Placed) -> Said:
    token = placed.message.tool_call_id
    if not token:
        raise BadRequestError("the result of a tool names its call", pointer=f"{placed.pointer}/tool_call_id")
    return Said(token=token, text=_text_of(placed), pointer=placed.pointer)


def _history(told: Sequence[_Placed]) -> tuple[HistoryMessage, ...]:
    """What went before, as text of a user or of the assistant."""
    messages: list[HistoryMessage] = []
    for placed in told:
        if placed.message.role in _RESULTS or not (text := _text_of(placed)):
            continue
        is_users = placed.message.role == "user"
        messages.append(UserMessage(text=text) if is_users else TurnMessage(turn=ModelTurn(text=text)))
    return tuple(messages)


def _text_of(placed: _Placed) -> str:
    """The text of a message; "" for none.

    Raises:
        BadRequestError: There is something else in it.
    """
    content, pointer = placed.message.content, f"{placed.pointer}/content"
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, Sequence):
        raise BadRequestError("content is text, or a list of parts", pointer=pointer)
    return "".join(_part_text(part, f"{pointer}/{at}") for at, part in enumerate(content))


def _part_text(part: object, pointer: str) -> str:
    if not isinstance(part, Mapping):
        raise BadRequestError("a part is an object with a type", pointer=pointer)
    kind = part.get("type")
    text = part.get(_TEXT_PARTS[kind]) if isinstance(kind, str) and kind in _TEXT_PARTS else None
    if not isinstance(text, str):
        said = f"only parts of text are taken here, and this one is of type {str(kind)[:40]!r}"
        raise BadRequestError(said, pointer=pointer)
    return text


def _refuse_what_is_not_done(body: ChatBody) -> None:
    for name, is_wanted, why in _NOT_DONE:
        if is_wanted(getattr(body, name)):
            raise BadRequestError(f"{name!r} cannot be had here: {why}", pointer=f"/{name}")


def _hosted(tools: Sequence[object] | None) -> bool:
    return any(not isinstance(tool, Mapping) or tool.get("type") != "function" for tool in tools or ())


_NOT_DONE: Final[Sequence[tuple[str, Callable[[Any], bool], str]]] = (
    ("n", lambda n: n not in (None, 1), "a run gives one answer"),
    ("tools", _hosted, "an agent has the tools it was declared with, and no others are run for a caller"),
    ("tool_choice", lambda said: said not in (None, "auto", "none"), "which tools are called is the agent's affair"),
    ("functions", bool, "an agent has the tools it was declared with"),
    ("function_call", lambda said: said not in (None, "auto", "none"), "which tools are called is the agent's affair"),
    (
        "response_format",
        lambda said: said not in (None, {"type": "text"}),
        "the form of an answer is the agent's affair",
    ),
    ("modalities", lambda said: said not in (None, ["text"]), "answers are text"),
    ("audio", lambda said: said is not None, "answers are text"),
    ("logprobs", bool, "probabilities of tokens are not kept"),
    ("stop", bool, "where an answer ends is the agent's affair"),
    ("web_search_options", lambda said: said is not None, "an agent has the tools it was declared with"),
)
"""What would be missed if it were passed over: the field, whether it asks for it, and why it is not done."""
