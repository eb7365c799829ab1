"""A run with a secret at every entrance, and which of them an exposure names: shared by the tests of what leaks.

Each canary is a text that stands nowhere else. Those that look like keys are for the redacting filter.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any, Final

import pytest

from tests.behaviour.answers import said
from tests.server.calls import Call
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.errors import ModelRefusedError, ToolError
from treadle.kernel.effects import Effect, Emit
from treadle.plan.tools import tool
from treadle.ports.model import ModelRequest
from treadle.runtime.open_pauses import OpenPause
from treadle.runtime.writer import Writer
from treadle.values import events as ev
from treadle.values.exposure import ErrorExposure, Exposure, PauseExposure, ToolExposure
from treadle.values.model import ModelItem
from treadle.values.pauses import Answer


def _canary(name: str) -> str:
    return f"canary_{name}_5b1f"


INSTRUCTIONS = _canary("instructions")
MODEL = _canary("model")
PARENT = _canary("parent")
ROOT = _canary("root")
STAGE = _canary("stage")
PRINCIPAL = _canary("principal")
THINKING = _canary("thinking")
EXTRACTED = _canary("extracted")
TOOL = _canary("tool")
ARGUMENT = _canary("argument")
PROGRESS = _canary("progress")
RESULT = _canary("result")
TOOL_WORDS = _canary("tool_words")
EXCEPTION = _canary("exception")
EXTENSION = _canary("extension")
ASKED_TOOL = _canary("asked_tool")
ASKED_ARGUMENT = _canary("asked_argument")
EDITED = _canary("edited")
REASON = _canary("reason")
ASKED_RESULT = _canary("asked_result")
PROVIDER_ERROR = _canary("provider_error")
USAGE = "918273"
API_KEY = "sk-5b1f0canary0of0a0model0error"
TOKEN = "sk-5b1f0canary0of0a0tool0result"
TOLD_KEY = "sk-5b1f0canary0of0an0operation"

CANARIES: Final = (
    *(
        INSTRUCTIONS,
        MODEL,
        PARENT,
        ROOT,
        STAGE,
        PRINCIPAL,
        THINKING,
        EXTRACTED,
        TOOL,
        ARGUMENT,
        PROGRESS,
        RESULT,
        TOOL_WORDS,
    ),
    *(EXCEPTION, EXTENSION, ASKED_TOOL, ASKED_ARGUMENT, EDITED, REASON, ASKED_RESULT, PROVIDER_ERROR, USAGE),
    *(API_KEY, TOKEN, TOLD_KEY),
)
TYPE: Final = "trace"
"""The type of the extension event."""

FULL: Final = Exposure(errors=ErrorExposure.TEXT, extensions=frozenset({TYPE}), extracted=True)
NOTHING: Final = Exposure(tools=ToolExposure.NONE, thinking=False, usage=False, pauses=PauseExposure.DUE)


def named_by(exposure: Exposure) -> set[str]:
    """The canaries that an exposure names."""
    told: set[str] = set()
    if exposure.tools in (ToolExposure.FULL, ToolExposure.NAMES):
        told |= {TOOL, ASKED_TOOL}
    if exposure.tools is ToolExposure.FULL:
        told |= {ARGUMENT, PROGRESS, RESULT, ASKED_ARGUMENT, EDITED, REASON, ASKED_RESULT}
        told |= {TOOL_WORDS} if exposure.errors is ErrorExposure.TEXT else set()
    told |= {ASKED_TOOL, ASKED_ARGUMENT} if exposure.pauses is PauseExposure.FULL else set()
    told |= {THINKING} if exposure.thinking else set()
    told |= {PROVIDER_ERROR, STAGE} if exposure.errors is ErrorExposure.TEXT else set()
    told |= {USAGE, MODEL} if exposure.usage else set()
    told |= {EXTENSION} if TYPE in exposure.extensions else set()
    return told | ({EXTRACTED} if exposure.extracted else set())


_AT_THE_PAUSE: Final = {ASKED_TOOL, ASKED_ARGUMENT}
_BEHIND_THE_PAUSE: Final = {EDITED, REASON, ASKED_RESULT, PROVIDER_ERROR}
UNSAID: Final = {
    "a2a": {MODEL, STAGE, ASKED_RESULT},
    "agui": {STAGE},
    "mcp": {MODEL, STAGE, THINKING, ARGUMENT, RESULT, TOOL_WORDS, *_BEHIND_THE_PAUSE} - {PROVIDER_ERROR},
    "openai": {MODEL, STAGE},
    "vercel": {MODEL},
}
"""What each wire has no word for; A2A tells the results of calls to whoever is there when they come."""


def due_by(exposure: Exposure, wire: str) -> set[str]:
    """The canaries that an exposure names and this wire has to tell, whatever its way to tell them."""
    told = named_by(exposure) - UNSAID[wire]
    if exposure.pauses is PauseExposure.DUE:
        # A reader who may not answer is told no more than that a decision is due.
        return told - _AT_THE_PAUSE - _BEHIND_THE_PAUSE
    # Why a person said no is, on some wires, the error of the call.
    return told if exposure.errors is ErrorExposure.TEXT else told - {REASON}


SCRIPT: Final = f"""think: {THINKING}
text: Hello. <MEMORY_EXTRACT>{{"ops": [{{"type": "{EXTRACTED}", "key": "{TOLD_KEY}"}}]}}</MEMORY_EXTRACT>There.
call: {TOOL} cut=9 {{"secret": "{ARGUMENT}"}}
call: fails {{}}
call: refuses {{}}
call: {ASKED_TOOL} {{"secret": "{ASKED_ARGUMENT}"}}
call: other {{}}
usage: {USAGE} 7
---
text: Now
error: refused"""


@tool(name=TOOL)
async def leak(secret: str) -> AsyncGenerator[dict[str, str], None]:
    """Give a secret."""
    assert secret == ARGUMENT
    yield {"now": PROGRESS}
    yield {"found": RESULT, "token": TOKEN}


@tool
async def fails() -> str:
    """Fail."""
    raise RuntimeError(f"dsn=postgres://u:{EXCEPTION}@h")


@tool
async def refuses() -> str:
    """Tell the model why not."""
    raise ToolError(f"not today: {TOOL_WORDS}")


@tool(name=ASKED_TOOL, requires_approval=True)
async def asked_about(secret: str) -> str:
    """Do it with leave."""
    assert secret == EDITED
    return ASKED_RESULT


@tool(requires_approval=True)
async def other() -> str:
    """Never gets leave."""
    raise AssertionError("it had no leave")


class Refusing(ScriptedModel):
    """A model whose provider refuses in words of its own."""

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Play the turn."""
        try:
            async for items in super().ask(request):
                yield items
        except ModelRefusedError as refused:
            detail = f"no: {PROVIDER_ERROR}, with the key {API_KEY}"
            raise ModelRefusedError(str(refused), provider="p", detail=detail) from None


def leaking() -> Agent:
    """An agent that has every secret in its run."""
    model = Refusing.from_text(SCRIPT, name=MODEL)
    filters = ["think", "block", "redact"]
    return Agent(
        name="a",
        model=model,
        instructions=f"Keep {INSTRUCTIONS}.",
        tools=[leak, fails, refuses, asked_about, other],
        text_filters=filters,
    )


def plant(patch: pytest.MonkeyPatch) -> None:
    """Put in what no agent of this library says by itself: a run above it, a stage's reason, a source's own event."""
    write = Writer.write

    def planting(writer: Writer, effects: Iterable[Effect], carry: Callable[[Any], None]) -> None:
        planted: list[Effect] = []
        for effect in effects:
            if isinstance(effect, Emit) and effect.event is ev.RunStarted:
                started = {**effect.fields, "root_run_id": ROOT, "parent_run_id": PARENT}
                planted.append(Emit(event=ev.RunStarted, fields=started))
                planted.append(Emit(event=ev.Extension, fields={"type": TYPE, "payload": {"said": EXTENSION}}))
                planted.append(Emit(event=ev.Stage, fields={"stage_id": "s", "phase": "ended", "reason": STAGE}))
            else:
                planted.append(effect)
        write(writer, planted, carry)

    patch.setattr(Writer, "write", planting)


async def decide(server: Server) -> None:
    """A person says what becomes of everything that waits, by no wire: one call may run, otherwise; the other not."""
    for run in await server.runner.runs(limit=500):
        answers = [_decided(pause) for pause in await server.runner.pauses(run.run_id)]
        if answers:
            await server.runner.answer(run.run_id, answers, principal=PRINCIPAL)


def _decided(pause: OpenPause) -> Answer:
    if pause.request["name"] == ASKED_TOOL:
        return said(pause, "edit", arguments={"secret": EDITED})
    return said(pause, "deny", reason=REASON)


def all_of(calls: list[Call]) -> str:
    """Every byte that was sent."""
    return "\n".join(f"{call.status} {call.headers} {call.body.decode()}" for call in calls)
