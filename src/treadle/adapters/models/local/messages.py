"""What a model is asked, to the messages that a small model understands best.

In: a request of the model port. Out: chat messages with roles `system`, `user` and `assistant`, the first always
`system`. Results of tools are told as part of the user's message, because the model was never taught a role for them.
Knows nothing of grammars and of the engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from treadle.ports.model import ModelRequest
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.requests import TurnMessage, UserMessage
from treadle.values.tools import ToolSpec

Message = dict[str, str]

# Without a system message the chat template of the model puts in one of its own, and the model rambles.
DEFAULT_INSTRUCTIONS: Final = "You are a helpful assistant."
AFTER_A_CALL: Final = "Answer the question in one sentence, using the result of the tool."
CUT: Final = "[cut off]"
HOW_TO_CALL: Final = 'To call a tool, write {"tool": name, "arguments": {...}} with the values from the question.'


def calls_now(request: ModelRequest) -> bool:
    """Whether the model must call a tool now: it has tools, and none has returned in this run."""
    return bool(request.tools) and not any(turn.outcomes for turn in request.turns)


def messages(request: ModelRequest) -> list[Message]:
    """The whole conversation, oldest first."""
    told = [{"role": "system", "content": _system(request)}]
    for message in (*request.prompt.history, UserMessage(text=request.prompt.prompt), *request.turns):
        match message:
            case UserMessage():
                _add(told, "user", message.text)
            case TurnMessage():
                _add(told, "assistant", f"{message.turn.text} {CUT}" if message.cut else message.turn.text)
                _add(told, "user", "\n".join(_results(message)))
    return told


def signature(tool: ToolSpec) -> str:
    """A tool in one line, such as `add(a: integer, b: integer): Add two numbers.`."""
    required = tool.parameters.get("required", ())
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    words = ", ".join(
        f"{name}{'' if name in required else '?'}: {_kind(schema, tool.parameters)}"
        for name, schema in properties.items()
    )
    described = " ".join(tool.description.split("\n\n")[0].split())
    return f"{tool.name}({words})" + (f": {described}" if described else "")


def _system(request: ModelRequest) -> str:
    parts = [request.prompt.instructions or DEFAULT_INSTRUCTIONS, *request.prompt.system_blocks]
    if calls_now(request):
        parts.append("\n".join(["You have these tools:", *map(signature, request.tools), HOW_TO_CALL]))
    elif any(turn.outcomes for turn in request.turns):
        parts.append(AFTER_A_CALL)
    return _plain("\n\n".join(parts))


def _add(told: list[Message], role: str, text: str) -> None:
    """Say it. What the same role says twice in a row is one message, as the model was taught."""
    text = _plain(text)
    if not text:
        return
    if told[-1]["role"] == role:
        told[-1]["content"] += f"\n\n{text}"
    else:
        told.append({"role": role, "content": text})


def _results(message: TurnMessage) -> Iterable[str]:
    calls = {request.call_id: request for request in message.turn.tool_requests}
    for outcome in message.outcomes:
        yield _result(calls.get(outcome.call_id), outcome)


def _result(call: ToolRequest | None, outcome: ToolOutcome) -> str:
    arguments = call.arguments.items() if call else ()
    called = f"{call.name if call else 'the tool'}({', '.join(f'{name}={_json(value)}' for name, value in arguments)})"
    if outcome.is_error:
        return f"Error of {called}: {outcome.error}"
    content = outcome.content
    return f"Result of {called}: {content if isinstance(content, str) else _json(content)}"


def _kind(schema: object, root: Mapping[str, Any]) -> str:
    match schema:
        case {"$ref": str(ref)}:
            return _kind(root.get("$defs", {}).get(ref.rpartition("/")[2]), {})
        case {"const": value}:
            return _json(value)
        case {"enum": list() | tuple() as values}:
            return " or ".join(map(_json, values))
        case {"anyOf": list() | tuple() as options}:
            return " or ".join(_kind(option, root) for option in options)
        case {"type": "array", "items": items}:
            return f"list of {_kind(items, root)}"
        case {"type": str(kind)}:
            return kind
        case _:
            return "value"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _plain(text: str) -> str:
    """Text in which nothing can be taken for the marks that part the messages of the model's own format."""
    return text.replace("<|im_", "< |im_")
