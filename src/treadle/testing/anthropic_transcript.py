"""The list of messages of an Anthropic request, held to the provider's rules.

In: messages as they stand in the request, and what the model said before. Out: violations, as sentences.

Rules:
    roles      `user` and `assistant` by turns, `user` first; content is text or blocks, neither of them empty
    calls      `tool_use` in assistant messages: an id of its own over the whole request, a name, an input that is an
               object
    pairing    the next message begins with one `tool_result` for each `tool_use`, and for no other
    thinking   first in its message, sealed (`signature`, or `data` where it is redacted); beside a call that the model
               made, just as the model gave it

Source: Anthropic API reference, "Messages", "Tool use", "Extended thinking"; what the server refuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_SEALS: Final = {"thinking": "signature", "redacted_thinking": "data"}
_TURNS: Final = {"user": "assistant", "assistant": "user"}

Block = Mapping[str, Any]


def anthropic_problems(messages: Sequence[Any], received: Sequence[Any] = ()) -> list[str]:
    """What a strict provider would refuse in these messages, `received` being the model's own answers before."""
    pairing = _Pairing(received)
    if not messages:
        pairing.problems.append("no messages")
    for at, message in enumerate(messages):
        pairing.take(f"messages[{at}]", message)
    pairing.end()
    return pairing.problems


class _Pairing:
    def __init__(self, received: Sequence[Any]) -> None:
        self.problems: list[str] = []
        self._place = ""
        self._due = "user"
        self._open: list[str] = []
        self._used: set[str] = set()
        self._thought = {
            block["id"]: _thinking(blocks)
            for blocks in map(_blocks, received)
            for block in blocks
            if block.get("type") == "tool_use"
        }

    def take(self, place: str, message: Any) -> None:  # noqa: ANN401 (whatever stands in a request)
        self._place = place
        role = message.get("role") if isinstance(message, Mapping) else None
        if role not in _TURNS:
            self._report(f"role must be 'user' or 'assistant', not {role!r}")
            return
        if role != self._due:
            self._report(f"role is {role!r}, expected {self._due!r}")
        self._due = _TURNS[role]
        blocks = _blocks(message)
        if not blocks:
            self._report("has no content")
        for block in blocks:
            if block.get("type") == "text" and not str(block.get("text", "")).strip():
                self._report("has an empty text block")
        if role == "assistant":
            self._settle()
            self._take_answer(blocks)
        else:
            self._take_results(blocks)

    def end(self) -> None:
        """Nothing more answers the calls that are open."""
        self._place = "the end"
        self._settle()

    def _report(self, problem: str) -> None:
        self.problems.append(f"{self._place}: {problem}")

    def _settle(self) -> None:
        if self._open:
            self._report(f"no results of {self._open!r}")
            self._open = []

    def _take_answer(self, blocks: list[Block]) -> None:
        thinking = _thinking(blocks)
        if thinking != blocks[: len(thinking)]:
            self._report("thinking does not come first")
        for block in thinking:
            if not block.get(_SEALS[block["type"]]):
                self._report(f"{block['type']} without its {_SEALS[block['type']]}")
        for block in blocks:
            if block.get("type") == "tool_use":
                self._take_call(block)
                if block.get("id") in self._thought and self._thought[block["id"]] != thinking:
                    self._report(f"thinking before call {block['id']!r} is not what the model gave")
            elif block.get("type") == "tool_result":
                self._report("has a result in the role 'assistant'")

    def _take_call(self, block: Block) -> None:
        call_id = block.get("id")
        if not isinstance(call_id, str) or not _ID.fullmatch(call_id):
            self._report(f"has a call without a good id: {call_id!r}")
            return
        if call_id in self._used:
            self._report(f"uses the call id {call_id!r} again")
        self._used.add(call_id)
        self._open.append(call_id)
        if not _NAME.fullmatch(str(block.get("name", ""))):
            self._report(f"call {call_id!r} has no good name: {block.get('name')!r}")
        if not isinstance(block.get("input"), Mapping):
            self._report(f"call {call_id!r} has an input that is no object: {block.get('input')!r}")

    def _take_results(self, blocks: list[Block]) -> None:
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if results != blocks[: len(results)]:
            self._report("results do not come first")
        for block in results:
            call_id = block.get("tool_use_id")
            if call_id in self._open:
                self._open.remove(call_id)
            elif call_id in self._used:
                self._report(f"answers {call_id!r}, which is not open here")
            else:
                self._report(f"answers {call_id!r}, which no call has")
        for block in blocks:
            if block.get("type") in ("tool_use", *_SEALS):
                self._report(f"has {block['type']} in the role 'user'")
        self._settle()


def _blocks(message: Any) -> list[Block]:  # noqa: ANN401 (whatever stands in a request)
    """The content of a message as blocks; none where it is neither text nor blocks."""
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if isinstance(content, list):
        return [block for block in content if isinstance(block, Mapping)]
    return []


def _thinking(blocks: list[Block]) -> list[Block]:
    return [block for block in blocks if block.get("type") in _SEALS]
