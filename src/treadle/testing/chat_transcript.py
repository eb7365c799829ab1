"""The list of messages of an OpenAI chat completion request, held to the provider's rules.

In: messages as they stand in the request. Out: violations, as sentences.

Rules:
    roles      one of `system developer user assistant tool`; content where the role needs it
    calls      an id of their own over the whole request, a name of letters, digits, `_` and `-`, arguments that are the
               text of one JSON object
    pairing    right after an assistant message with calls stands one tool message for each of its ids and for no other

Source: OpenAI API reference, "Create chat completion"; what the server refuses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def chat_problems(messages: Sequence[Any]) -> list[str]:
    """What a strict provider would refuse in these messages."""
    pairing = _Pairing()
    if not messages:
        pairing.problems.append("no messages")
    for at, message in enumerate(messages):
        pairing.take(f"messages[{at}]", message)
    pairing.end("the end")
    return pairing.problems


class _Pairing:
    def __init__(self) -> None:
        self.problems: list[str] = []
        self._place = ""
        self._open: list[str] = []
        self._used: set[str] = set()

    def take(self, place: str, message: Any) -> None:  # noqa: ANN401 (whatever stands in a request)
        self._place = place
        role = message.get("role") if isinstance(message, Mapping) else None
        if role not in ROLES:
            self._report(f"has no known role: {role!r}")
        elif role == "tool":
            self._take_result(message)
        else:
            self.end(place)
            self._take_speech(role, message)

    def end(self, before: str) -> None:
        """Nothing more answers the calls that are open."""
        if self._open:
            self.problems.append(f"no results of {self._open!r} before {before}")
            self._open = []

    def _report(self, problem: str) -> None:
        self.problems.append(f"{self._place}: {problem}")

    def _take_result(self, message: Mapping[str, Any]) -> None:
        call_id = message.get("tool_call_id")
        if call_id in self._open:
            self._open.remove(call_id)
        elif call_id in self._used:
            self._report(f"answers {call_id!r}, which is not open here")
        else:
            self._report(f"answers {call_id!r}, which no call has")
        if not isinstance(message.get("content"), str | list):
            self._report("has no content")

    def _take_speech(self, role: str, message: Mapping[str, Any]) -> None:
        content, calls = message.get("content"), message.get("tool_calls")
        if calls is not None and role != "assistant":
            self._report(f"has calls in the role {role!r}")
        elif calls is not None and not (isinstance(calls, list) and calls):
            self._report(f"tool_calls must hold a call or be left out, not {calls!r}")
        else:
            for call in calls or ():
                self._take_call(call)
        if not calls and not (isinstance(content, str) or (isinstance(content, list) and content)):
            self._report("has no content")

    def _take_call(self, call: Any) -> None:  # noqa: ANN401 (whatever stands in a request)
        call_id = call.get("id") if isinstance(call, Mapping) else None
        if not isinstance(call_id, str) or not call_id:
            self._report(f"has a call without an id: {call_id!r}")
            return
        if call_id in self._used:
            self._report(f"uses the call id {call_id!r} again")
        self._used.add(call_id)
        self._open.append(call_id)
        function = call.get("function")
        if call.get("type") != "function" or not isinstance(function, Mapping):
            self._report(f"call {call_id!r} is no function call")
            return
        if not _NAME.fullmatch(str(function.get("name", ""))):
            self._report(f"call {call_id!r} has no good name: {function.get('name')!r}")
        if not _is_object(function.get("arguments")):
            self._report(f"call {call_id!r} has arguments that are no JSON object: {function.get('arguments')!r}")


def _is_object(text: object) -> bool:
    try:
        return isinstance(text, str) and isinstance(json.loads(text, parse_constant=_refuse), dict)
    except ValueError:
        return False


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")
