"""What clients of A2A send, in both versions and by both bindings, to what is asked here.

In: JSON terms of a message, or of the parameters of a method. Out: values whose every field is legal, or a fault that
says where and why. What a client sends as metadata is never read, and its ids are names, never rights.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from treadle.codec.foreign import json_text
from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.reading import NO_MEMBERS, Members, wrong
from treadle.projections.a2a.wire import EXTENSION, Shape, State
from treadle.values.mappings import Json

VERSIONS: Final[Mapping[str, Shape]] = {"1.0": Shape.V1_0, "0.3": Shape.V0_3}
"""The versions that are spoken. Patches do not count."""
MODES: Final = ("text/plain", "application/json")
"""What is taken in and given out."""
PAGE: Final = 50
LARGEST_PAGE: Final = 100
LONGEST_HEADER: Final = 8_192
"""Characters of what is sent in a header of a notification."""
_ANY_MODE: Final = frozenset({"*/*", "text/*", "application/*", "text", *MODES})
_USERS: Final = frozenset({"ROLE_USER", "user", 1})
_FILES: Final = ("file", "raw", "url")
_NO_STATE: Final = (None, "", 0, "TASK_STATE_UNSPECIFIED", "UNRECOGNIZED")
"""How clients say that any state will do; the last is what one of them makes of a state that was not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PushTarget:
    """Where a client wants to be told of a task. Empty is not given."""

    url: str
    target_id: str = ""
    token: str = ""
    scheme: str = ""
    credentials: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A message, and how its sender wants to be answered.

    Shape: `texts` and `data` are its parts, each kind in order; `prompt` is all of them as one text. `tokens` are those
        of pauses that came back with it, by the pause. Empty ids are not given. `waits`: it is answered when the task
        rests.
    """

    message_id: str
    task_id: str
    context_id: str
    prompt: str
    texts: tuple[str, ...]
    data: tuple[Json, ...]
    tokens: Mapping[str, str]
    extensions: tuple[str, ...]
    waits: bool = True
    history_length: int | None = None
    push: PushTarget | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskQuery:
    """A task that is asked for."""

    task_id: str
    history_length: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """Tasks that are asked for.

    Units: `changed_after_s` is UTC seconds.
    """

    context_id: str = ""
    state: State | None = None
    page_size: int = PAGE
    page_token: str = ""
    history_length: int | None = None
    changed_after: str = ""
    with_artifacts: bool = False


def shape_of_version(said: str | None) -> Shape:
    """The form for what a client says is its version; saying nothing is 0.3.

    Raises:
        FaultError: The version is not spoken here.
    """
    if not said:
        return Shape.V0_3
    shape = VERSIONS.get(".".join(said.strip().split(".")[:2]))
    if shape is None:
        spoken = " and ".join(VERSIONS)
        raise FaultError(Fault.VERSION, f"version {said[:40]!r} of A2A is not spoken here; {spoken} are")
    return shape


def sent_of(params: Json, shape: Shape) -> Sent:
    """The message of a send, and how it is to be answered.

    Raises:
        FaultError: It is no such message. `pointer` says which part.
    """
    asked = Members(params)
    _no_tenant(asked)
    message = asked.members("message") or asked.members("request")
    if message is None:
        raise FaultError(Fault.INVALID_PARAMS, "expected a message", pointer="/message")
    role = message.get("role")
    if not isinstance(role, str | int) or role not in _USERS:
        raise wrong(message.at("role"), "the role of a user", role)
    message_id = message.name("messageId")
    if not message_id:
        raise FaultError(Fault.INVALID_PARAMS, "a message needs an id", pointer=message.at("messageId"))
    parts = message.objects("parts") or message.objects("content")
    said = [_part(part, shape) for part in parts]
    texts = tuple(text for text, _ in said if text is not None)
    data = tuple(value for text, value in said if text is None)
    if not (data or any(text.strip() for text in texts)):
        raise FaultError(Fault.INVALID_PARAMS, "a message needs a part with text or data", pointer=message.at("parts"))
    how = asked.members("configuration") or NO_MEMBERS
    _check_modes(how)
    at_once = how.flag("returnImmediately") if shape is Shape.V1_0 else how.flag("blocking") is False
    return Sent(
        message_id=message_id,
        task_id=message.name("taskId"),
        context_id=message.name("contextId"),
        prompt="\n\n".join(json_text(value) if text is None else text for text, value in said),
        texts=texts,
        data=data,
        tokens=_tokens(message),
        extensions=message.texts("extensions"),
        waits=not at_once,
        history_length=_history_length(how, shape),
        push=_inline_push(how),
    )


def task_query(params: Json, shape: Shape) -> TaskQuery:
    """The task that the parameters of a method name.

    Raises:
        FaultError: They name none.
    """
    asked = Members(params)
    _no_tenant(asked)
    return TaskQuery(task_id=_task_id(asked, "id"), history_length=_history_length(asked, shape))


def list_query(params: Json) -> ListQuery:
    """The tasks that the parameters of a list ask for.

    Raises:
        FaultError: They are none.
    """
    asked = Members(params)
    _no_tenant(asked)
    size = asked.count("pageSize")
    if size is not None and not 1 <= size <= LARGEST_PAGE:
        said = f"a page has 1 to {LARGEST_PAGE} tasks, came {size}"
        raise FaultError(Fault.INVALID_PARAMS, said, pointer=asked.at("pageSize"))
    return ListQuery(
        context_id=asked.name("contextId"),
        state=_state(asked),
        page_size=size or PAGE,
        page_token=asked.name("pageToken"),
        history_length=asked.count("historyLength"),
        changed_after=asked.text("statusTimestampAfter"),
        with_artifacts=bool(asked.flag("includeArtifacts")),
    )


def push_target(params: Json) -> PushTarget:
    """Where a client wants to be told of a task, from what it registers in any of the forms.

    Raises:
        FaultError: It is none.
    """
    asked = Members(params)
    config = asked.members("config") or asked
    nested = config.members("pushNotificationConfig")
    target = _target(nested or config)
    return target if target.target_id else _named(target, asked.name("configId"))


def push_query(params: Json) -> tuple[str, str]:
    """The task and the target that the parameters of a method name. In 0.3 the task's id is `id`.

    Raises:
        FaultError: They name no task.
    """
    asked = Members(params)
    _no_tenant(asked)
    if (target_id := asked.name("pushNotificationConfigId")) or not asked.name("taskId"):
        return _task_id(asked, "id"), target_id
    return _task_id(asked, "taskId"), asked.name("id")


def _task_id(asked: Members, name: str) -> str:
    task_id = asked.name(name)
    if not task_id:
        raise FaultError(Fault.INVALID_PARAMS, "expected the id of a task", pointer=asked.at(name))
    return task_id


def _no_tenant(asked: Members) -> None:
    if asked.text("tenant"):
        raise FaultError(Fault.INVALID_PARAMS, "this agent has no tenants", pointer=asked.at("tenant"))


def _history_length(asked: Members, shape: Shape) -> int | None:
    """How many messages are wanted. In 0.3 none means all."""
    length = asked.count("historyLength")
    return length if shape is Shape.V1_0 else length or None


def _part(part: Members, shape: Shape) -> tuple[str | None, Json]:
    """A part's text, or None and its data."""
    for name in _FILES:
        if part.get(name) is not None:
            said = "this agent reads text and data, and no files"
            raise FaultError(Fault.CONTENT_TYPE, said, pointer=part.at(name))
    if part.get("text") is not None:
        return part.text("text"), None
    data = part.get("data")
    if data is None:
        raise FaultError(Fault.INVALID_PARAMS, "expected a part with text or data", pointer=part.at("text"))
    if shape is Shape.V0_3_REST:
        data = Members(data, part.at("data")).get("data")
    meant = part.get("metadata")
    is_wrapped = shape is not Shape.V1_0 and isinstance(meant, Mapping) and meant.get("data_part_compat") is True
    return None, Members(data, part.at("data")).get("value") if is_wrapped else data


def _tokens(message: Members) -> Mapping[str, str]:
    """Tokens of pauses, as the task's own message gave them out."""
    metadata = message.members("metadata") or NO_MEMBERS
    tokens = (metadata.members(EXTENSION) or NO_MEMBERS).get("tokens")
    if not isinstance(tokens, Mapping):
        return {}
    return {name: token for name, token in tokens.items() if isinstance(token, str)}


def _check_modes(how: Members) -> None:
    modes = how.texts("acceptedOutputModes")
    taken = {mode.partition(";")[0].strip().lower() for mode in modes}
    if taken and not taken & _ANY_MODE:
        said = f"this agent gives {' and '.join(MODES)}, and none of the accepted modes is that"
        raise FaultError(Fault.CONTENT_TYPE, said, pointer=how.at("acceptedOutputModes"))


def _inline_push(how: Members) -> PushTarget | None:
    for name in ("taskPushNotificationConfig", "pushNotificationConfig", "pushNotification"):
        if (config := how.members(name)) is not None:
            return _target(config)
    return None


def _target(config: Members) -> PushTarget:
    who = config.members("authentication") or NO_MEMBERS
    url = config.text("url")
    if not url:
        raise FaultError(Fault.INVALID_PARAMS, "expected a url to notify", pointer=config.at("url"))
    target = PushTarget(
        url=url,
        target_id=config.name("id"),
        token=config.name("token"),
        scheme=who.name("scheme") or next(iter(who.texts("schemes")), ""),
        credentials=who.text("credentials"),
    )
    _check_header(config.at("token"), target.token)
    _check_header(who.at("scheme"), target.scheme)
    _check_header(who.at("credentials"), target.credentials)
    return target


def _check_header(pointer: str, text: str) -> None:
    """Refuse what could not be sent in a header, while whoever wants it sent is there to be told."""
    if len(text) > LONGEST_HEADER or not (text.isascii() and text.isprintable()) or text != text.strip():
        said = f"expected at most {LONGEST_HEADER} visible characters of ASCII, as a header holds them"
        raise FaultError(Fault.INVALID_PARAMS, said, pointer=pointer)


def _named(target: PushTarget, target_id: str) -> PushTarget:
    return PushTarget(
        url=target.url,
        target_id=target_id,
        token=target.token,
        scheme=target.scheme,
        credentials=target.credentials,
    )


def _state(asked: Members) -> State | None:
    said = asked.get("status")
    if said in _NO_STATE:
        return None
    found = next((state for state in State if said in (state.value, f"TASK_STATE_{state.name}")), None)
    if found is None:
        raise wrong(asked.at("status"), "a state of tasks here", said)
    return found
