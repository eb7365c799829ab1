"""The body of a response's request, to what a run is started or answered with.

In: a body, typed. Out: a request: a new message with the text that went before it, or answers. The last item decides:
a user's message begins a run, and outputs of functions and decisions that stand last answer the pauses that their ids
are tokens of.

Law: what a client sends as history is text, said by a user or by the assistant, and is read only where it names no
response before. Instructions of its own instruct nobody, and whatever else stands in an input grants nothing. Whatever
asks for something that is not done here, and would be missed, is refused.

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

MOST_METADATA: Final = 16
LONGEST_KEY: Final = 64
LONGEST_VALUE: Final = 512

_MESSAGE: Final = "message"
_OUTPUT, _DECISION = "function_call_output", "mcp_approval_response"
_ANSWERS: Final = frozenset({_OUTPUT, _DECISION})
_PASSED_OVER: Final = frozenset({"function_call", "reasoning", "mcp_call", "mcp_list_tools", "mcp_approval_request"})
"""Items that a response gave, and that come back with the next request: the run knows them better."""
_INSTRUCTING: Final = frozenset({"system", "developer"})
_ROLES: Final = _INSTRUCTING | {"user", "assistant"}
_TEXT_PARTS: Final[Mapping[str, str]] = {
    "input_text": "text",
    "output_text": "text",
    "text": "text",
    "refusal": "refusal",
}
"""Parts of a message that are text, and the field that holds it."""


class ResponsesBody(msgspec.Struct, frozen=True, kw_only=True):
    """The body. Fields that are not here say nothing to us: how a model is sampled is the agent's affair."""

    model: str
    input: Any = None
    stream: bool | None = None
    background: bool | None = None
    store: bool | None = None
    previous_response_id: str | None = None
    metadata: dict[str, str] | None = None
    conversation: Any = None
    prompt: Any = None
    tools: list[Any] | None = None
    tool_choice: Any = None
    text: Any = None
    top_logprobs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said to one pause.

    Shape: `token` is what it was shown with; either `text` is the output of a function, or `approves` a decision, with
        its reason.
    """

    token: str
    pointer: str
    text: str | None = None
    approves: bool | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRequest:
    """What is asked.

    Shape: either `prompt` has text, or there are `answers`. `previous` is the id of the response it goes on from, as it
        came.
    """

    model: str
    stream: bool
    background: bool
    store: bool
    previous: str | None
    metadata: tuple[tuple[str, str], ...]
    prompt: str = ""
    history: tuple[HistoryMessage, ...] = ()
    answers: tuple[Said, ...] = ()


def response_request(body: ResponsesBody) -> ResponseRequest:
    """What a body asks for.

    Raises:
        BadRequestError: It asks for nothing, or for what is not done here. `pointer` says where.
    """
    _refuse_what_is_not_done(body)
    _check_metadata(body.metadata or {})
    asked = ResponseRequest(
        model=body.model,
        stream=bool(body.stream),
        background=bool(body.background),
        store=body.store is not False,
        previous=body.previous_response_id,
        metadata=tuple((body.metadata or {}).items()),
    )
    if asked.background and not asked.store:
        said = "a response in the background is asked for later, so it cannot be one that is not stored"
        raise BadRequestError(said, pointer="/store")
    if isinstance(body.input, str):
        return replace(asked, prompt=_prompt(body.input, "/input"))
    if not isinstance(body.input, Sequence) or not body.input:
        raise BadRequestError("expected text, or a list of items, came neither", pointer="/input")
    return _read(asked, [_placed(item, f"/input/{at}") for at, item in enumerate(body.input)])


class _Placed(NamedTuple):
    pointer: str
    kind: str
    item: Mapping[str, Any]

    @property
    def role(self) -> str:
        return str(self.item.get("role")) if self.kind == _MESSAGE else ""


def _read(asked: ResponseRequest, items: Sequence[_Placed]) -> ResponseRequest:
    told = [placed for placed in items if placed.role not in _INSTRUCTING]
    if told and told[-1].kind in _ANSWERS:
        last = list(takewhile(lambda placed: placed.kind in _ANSWERS, reversed(told)))
        _check_that_it_goes_on(asked, told[: -len(last)])
        return replace(asked, answers=tuple(_answer(placed) for placed in reversed(last)))
    if not told or told[-1].role != "user":
        raise BadRequestError(
            "expected the last item to be a message of a user, or the output of a function", pointer="/input"
        )
    _check_that_it_goes_on(asked, told[:-1])
    prompt = _prompt(_text_of(told[-1], "content"), f"{told[-1].pointer}/content")
    return replace(asked, prompt=prompt, history=() if asked.previous else _history(told[:-1]))


def _check_that_it_goes_on(asked: ResponseRequest, before: Sequence[_Placed]) -> None:
    """What goes on from a response holds what is new alone."""
    if asked.previous is None:
        return
    for placed in before:
        if placed.kind not in _PASSED_OVER:
            said = (
                "with previous_response_id the conversation is known: send what is new alone, which is one message of "
                "a user, or what answers the calls of the response"
            )
            raise BadRequestError(said, pointer=placed.pointer)


def _placed(item: object, pointer: str) -> _Placed:
    if not isinstance(item, Mapping):
        raise BadRequestError("an item is an object", pointer=pointer)
    kind = item.get("type", _MESSAGE)
    if not isinstance(kind, str) or kind not in _ANSWERS | _PASSED_OVER | {_MESSAGE}:
        raise BadRequestError(f"items of type {str(kind)[:40]!r} are not taken here", pointer=f"{pointer}/type")
    placed = _Placed(pointer, kind, item)
    if kind == _MESSAGE and placed.role not in _ROLES:
        said = f"a role is one of {', '.join(sorted(_ROLES))}, not {placed.role[:40]!r}"
        raise BadRequestError(said, pointer=f"{pointer}/role")
    return placed


def _answer(placed: _Placed) -> Said:
    if placed.kind == _OUTPUT:
        return Said(token=_name(placed, "call_id"), pointer=placed.pointer, text=_text_of(placed, "output"))
    approves, reason = placed.item.get("approve"), placed.item.get("reason")
    if not isinstance(approves, bool):
        raise BadRequestError("a decision is true or false", pointer=f"{placed.pointer}/approve")
    if reason is not None and not isinstance(reason, str):
        raise BadRequestError("a reason is text", pointer=f"{placed.pointer}/reason")
    token = _name(placed, "approval_request_id")
    return Said(token=token, pointer=placed.pointer, approves=approves, reason=reason or None)


def _name(placed: _Placed, name: str) -> str:
    token = placed.item.get(name)
    if not isinstance(token, str) or not token:
        raise BadRequestError("an answer names what it answers", pointer=f"{placed.pointer}/{name}")
    return token


def _history(told: Sequence[_Placed]) -> tuple[HistoryMessage, ...]:
    """What went before, as text of a user or of the assistant."""
    messages: list[HistoryMessage] = []
    for placed in told:
        if placed.kind == _MESSAGE and (text := _text_of(placed, "content")):
            is_users = placed.role == "user"
            messages.append(UserMessage(text=text) if is_users else TurnMessage(turn=ModelTurn(text=text)))
    return tuple(messages)


def _prompt(text: str, pointer: str) -> str:
    if not text.strip():
        raise BadRequestError("a message of a user needs text", pointer=pointer)
    return text


def _text_of(placed: _Placed, name: str) -> str:
    """The text of a message or an output; "" for none.

    Raises:
        BadRequestError: There is something else in it.
    """
    content, pointer = placed.item.get(name), f"{placed.pointer}/{name}"
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, Sequence):
        raise BadRequestError(f"{name} is text, or a list of parts", pointer=pointer)
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


def _check_metadata(metadata: Mapping[str, str]) -> None:
    fits = all(len(key) <= LONGEST_KEY and len(value) <= LONGEST_VALUE for key, value in metadata.items())
    if len(metadata) > MOST_METADATA or not fits:
        said = (
            f"metadata are at most {MOST_METADATA} pairs, with keys of {LONGEST_KEY} characters and values of "
            f"{LONGEST_VALUE}"
        )
        raise BadRequestError(said, pointer="/metadata")


def _refuse_what_is_not_done(body: ResponsesBody) -> None:
    for name, is_wanted, why in _NOT_DONE:
        if is_wanted(getattr(body, name)):
            raise BadRequestError(f"{name!r} cannot be had here: {why}", pointer=f"/{name}")


def _hosted(tools: Sequence[object] | None) -> bool:
    return any(not isinstance(tool, Mapping) or tool.get("type") != "function" for tool in tools or ())


def _other_form(text: object) -> bool:
    form = text.get("format") if isinstance(text, Mapping) else text
    return form not in (None, {"type": "text"})


def _there(said: object) -> bool:
    return said is not None


_NOT_DONE: Final[Sequence[tuple[str, Callable[[Any], bool], str]]] = (
    ("conversation", _there, "a conversation is gone on with by previous_response_id"),
    ("prompt", _there, "the prompt of an agent is declared with it"),
    ("tools", _hosted, "an agent has the tools it was declared with, and no others are run for a caller"),
    ("tool_choice", lambda said: said not in (None, "auto", "none"), "which tools are called is the agent's affair"),
    ("text", _other_form, "the form of an answer is the agent's affair"),
    ("top_logprobs", bool, "probabilities of tokens are not kept"),
)
"""What would be missed if it were passed over: the field, whether it asks for it, and why it is not done."""
