"""Requests to the OpenAI compatible routes, and agents for them: shared by the tests of that wire."""

from __future__ import annotations

import json
from typing import Any

from tests.runtime.agents import scripted
from tests.server.calls import JSON, Call, ask
from treadle.app.agent import Agent
from treadle.plan.front_end import front_end_tool
from treadle.plan.questions import ask_user
from treadle.plan.tools import Tool
from treadle.server.access import Action, ApiKeys, Principal

CHAT, RESPONSES = "/openai/v1/chat/completions", "/openai/v1/responses"
ANN, BOB, CAT, READER = [f"key-of-{name}-0123456789" for name in ("ann", "bob", "cat", "reader")]
ACCESS = ApiKeys(
    {
        ANN: Principal(name="ann", scope="acme"),
        BOB: Principal(name="bob", scope="globex"),
        CAT: Principal(name="cat", scope="acme"),
        READER: Principal(name="reader", scope="acme", may=[Action.START, Action.READ]),
    }
)
QUESTION = {
    "questions": [{"text": "Which?", "header": "Colour", "options": [{"label": "red"}, {"label": "blue"}]}],
}
ASKS = f"text: Tell me. \ncall: ask_user {json.dumps(QUESTION)}\n---\ntext: Thanks."


def key(of: str) -> tuple[str, str]:
    """The header of somebody, as the official client sends it."""
    return ("authorization", f"Bearer {of}")


def asking() -> Agent:
    """An agent that asks its user."""
    return scripted(ASKS, tools=[ask_user])


def picking() -> Agent:
    """An agent with a tool of the front end."""
    tool: Tool[..., Any] = front_end_tool(
        "pick", description="Pick one.", parameters={"type": "object", "properties": {}}, result={"type": "string"}
    )
    return scripted("call: pick {}\n---\ntext: Thanks.", tools=[tool])


async def chat(app: Any, *messages: Any, headers: tuple[tuple[str, str], ...] = (), **more: Any) -> Call:  # noqa: ANN401 (an application, JSON)
    """Ask for a chat completion of agent `a`."""
    said = [{"role": "user", "content": one} if isinstance(one, str) else one for one in messages]
    return await ask(app, "POST", CHAT, JSON, *headers, body={"model": "a", "messages": said, **more})


async def respond(app: Any, said: Any, *, headers: tuple[tuple[str, str], ...] = (), **more: Any) -> Call:  # noqa: ANN401 (an application, JSON)
    """Ask for a response of agent `a`."""
    return await ask(app, "POST", RESPONSES, JSON, *headers, body={"model": "a", "input": said, **more})


def result(token: str, text: str) -> dict[str, Any]:
    """The result of a call, as chat clients send it."""
    return {"role": "tool", "tool_call_id": token, "content": text}


def output(token: str, text: str) -> dict[str, Any]:
    """The same, as an item of an input."""
    return {"type": "function_call_output", "call_id": token, "output": text}


def decision(token: str, *, approve: bool, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (any JSON)
    """A decision about a call."""
    return {"type": "mcp_approval_response", "approval_request_id": token, "approve": approve, **more}


def frames(call: Call) -> list[Any]:
    """The payloads of a stream, read."""
    datas = [event.data.decode() for event in call.events]
    return [data if data == "[DONE]" else json.loads(data) for data in datas]


def tokens(call: Call) -> list[str]:
    """The tokens of what is asked in a whole answer."""
    if "choices" in call.json:
        return [one["id"] for one in call.json["choices"][0]["message"]["tool_calls"]]
    asked = [item for item in call.json["output"] if item["type"] in ("function_call", "mcp_approval_request")]
    return [item.get("call_id", item["id"]) for item in asked]


def said_in(call: Call) -> str:
    """The text of a whole answer."""
    if "choices" in call.json:
        return call.json["choices"][0]["message"]["content"] or ""
    messages = [item for item in call.json["output"] if item["type"] == "message"]
    return "".join(part["text"] for item in messages for part in item["content"])


def code_of(call: Call) -> str:
    """The code of a refusal."""
    told: str = call.json["error"]["code"]
    return told
