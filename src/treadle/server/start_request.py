"""The body of a start, as JSON, to what a run is started with.

In: bytes. Out: a request whose every field is legal, or a refusal that says where and why. Nothing in it decides whose
run it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Final, Literal, TypeAlias, TypeVar, get_args

import msgspec

from treadle.codec.foreign import MAX_DEPTH, in_json_terms, json_value
from treadle.errors import BadRequestError
from treadle.runtime.leaving import on_disconnect_of
from treadle.server.negotiation import MAX_NAME_CHARS
from treadle.values.mappings import Json

NAME_PATTERN: Final = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$"
"""A name that a client gives: on one line, no control codes."""
ON_DISCONNECT_PATTERN: Final = r"^(continue|cancel|continue [0-9]{1,9}(\.[0-9]{1,9})? ?s)$"
_NAME: Final = re.compile(NAME_PATTERN.removeprefix("^").removesuffix("$"))
_PATH: Final = re.compile(r" - at `\$?(.*)`$")
_STEP: Final = re.compile(r"[.\[]([^.\[\]]*)\]?")
_FIELD: Final = re.compile(r"field `(.*)`$")
_NO_CHOICE: Final = "Invalid enum value "
_WORDS: Final = frozenset({str, bool, type(None)})
_ODD: Final = re.compile(rb"\\u[dD][89a-fA-F]|[\x00\xed]")
"""What stands in every body that holds half a surrogate pair: its escape, its own first byte, or in UTF-16 a zero."""

OnBusy: TypeAlias = Literal["reject", "queue", "cancel_previous"]
T = TypeVar("T")


class StartRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked of whom, and by which rules."""

    agent: str
    prompt: str
    thread_id: str | None = None
    key: str | None = None
    on_disconnect: str = "continue"
    on_busy: OnBusy = "reject"


class CancelRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a run is to stop."""

    reason: str | None = None


def start_request(body: bytes, agents: Collection[str]) -> StartRequest:
    """What a body asks for.

    Raises:
        BadRequestError: It is no such request. `pointer` says which part.
    """
    asked = read_body(body, StartRequest)
    if asked.agent not in agents:
        named = asked.agent[:MAX_NAME_CHARS]
        raise BadRequestError(f"no agent is called {named!r}; GET /v1/agents names those there are", pointer="/agent")
    if not asked.prompt.strip():
        raise BadRequestError("a prompt needs text", pointer="/prompt")
    for name in ("thread_id", "key"):
        check_name(name, getattr(asked, name))
    try:
        on_disconnect_of(asked.on_disconnect)
    except ValueError as wrong:
        raise BadRequestError(str(wrong), pointer="/on_disconnect") from wrong
    return asked


def cancel_request(body: bytes) -> CancelRequest:
    """Why a run is to stop; no body gives no reason.

    Raises:
        BadRequestError: It is no such request.
    """
    asked = read_body(body, CancelRequest) if body else CancelRequest()
    if asked.reason is not None and len(asked.reason) > MAX_NAME_CHARS:
        raise BadRequestError(f"a reason has at most {MAX_NAME_CHARS} characters", pointer="/reason")
    return asked


def check_name(name: str, given: str | None) -> None:
    """Refuse what is no name that a client may give.

    Raises:
        BadRequestError: It is too long, or not on one line.
    """
    if given is not None and not (0 < len(given) <= MAX_NAME_CHARS and _NAME.fullmatch(given)):
        raise BadRequestError(
            f"{name!r} is text of 1 to {MAX_NAME_CHARS} characters on one line, came {len(given)} characters",
            pointer=f"/{name}",
        )


def read_body(body: bytes, kind: type[T], *, named: str = "body") -> T:
    """What a body of JSON says, in this form.

    Args:
        named: What it is called where it is refused.
    Raises:
        BadRequestError: It is of another form. `pointer` says which part.
    """
    if not body:
        raise BadRequestError(f"expected a {named} of JSON, came none")
    terms = _words(body)
    if terms is None:
        try:
            terms = _in_terms(json.loads(body))
        except (ValueError, RecursionError) as wrong:
            raise BadRequestError(f"the {named} is no JSON in UTF-8") from wrong
    try:
        return msgspec.convert(terms, kind)
    except msgspec.ValidationError as wrong:
        told, pointer = _said(str(wrong))
        raise BadRequestError(told, pointer=pointer) from wrong


def _words(body: bytes) -> dict[str, str | bool | None] | None:
    """A body that is a mapping of words and nothing else, as nearly every start is. None: it is to be read with care.

    Without halves of surrogate pairs, there is nothing in it of which JSON has more than one reading.
    """
    if _ODD.search(body) is not None:
        return None
    try:
        said = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None
    return said if type(said) is dict and _WORDS.issuperset(map(type, said.values())) else None


def _in_terms(said: object) -> Json:
    if not in_json_terms(said, MAX_DEPTH):
        # Nothing is made into something else: what a person answers is taken as it is, or not at all.
        raise BadRequestError(f"expected JSON of at most {MAX_DEPTH} levels, without NaN, Infinity or larger numbers")
    # What a browser writes for half a surrogate pair is legal JSON, and becomes U+FFFD where it enters: here.
    return json_value(said)


def _said(words: str) -> tuple[str, str]:
    """What is wrong, and where, as a JSON pointer; of a field that lacks or is too many, to that."""
    found = _PATH.search(words)
    said, path = (words[: found.start()], _STEP.sub(r"/\1", found[1])) if found else (words, "")
    if (field := _FIELD.search(said)) is not None:
        path = f"{path}/{field[1]}"
    if path == "/on_busy" and said.startswith(_NO_CHOICE):
        said = f"expected one of {', '.join(get_args(OnBusy))}, came {said.removeprefix(_NO_CHOICE)}"
    return said, path
