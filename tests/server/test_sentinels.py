"""Secrets that are put in at every entrance, and looked for at every exit.

Each canary is a text that stands nowhere else. The table says where it may appear: there it must, and nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from starlette.requests import HTTPConnection

from tests.server.calls import NDJSON, Call, ask, started
from treadle.adapters.models.openai_chat import OpenAIChat
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.cli.commands import main
from treadle.errors import ToolError
from treadle.plan.tools import tool
from treadle.server.access import Action, ApiKeys, Principal
from treadle.testing.faults import FaultServer
from treadle.testing.faults.scenario import Scenario, attempts, calls, fails, reply, say, stream
from treadle.testing.faults.steps import Done, Finish, Fragment, Status

pytestmark = pytest.mark.slow


def _canary(name: str) -> str:
    return f"canary-{name}-5b1f"


INSTRUCTIONS = _canary("instructions")
PROMPT = _canary("prompt")
ANSWER = _canary("answer")
ARGUMENT = _canary("argument")
RESULT = _canary("result")
TOOL_WORDS = _canary("tool-words")
TOOL_ERROR = _canary("tool-error")
PROVIDER_ERROR = _canary("provider-error")
PROVIDER_KEY = _canary("provider-key")
CLIENT_KEY = _canary("client-key")
WRONG_KEY = _canary("wrong-key")
ACCESS_ERROR = _canary("access-error")
FOREIGN_KEY = _canary("foreign-key")

KEPT: Final = {"store", "export", "export_facts"}
TOLD: Final = {"events", "lines", "tail", "tail_lines"}
ASKED: Final = {"run", "thread", "runs", "threads", "show", "show_lines"}
SEEN: Final = {"run", "thread", "show", "show_lines"}

MAY_APPEAR: Final[Mapping[str, set[str]]] = {
    INSTRUCTIONS: set(),
    PROMPT: {"events", "lines"} | ASKED | KEPT,
    ANSWER: TOLD | SEEN | KEPT,
    ARGUMENT: TOLD | KEPT,
    RESULT: TOLD | KEPT,
    TOOL_WORDS: TOLD | KEPT,
    TOOL_ERROR: {"log"},
    PROVIDER_ERROR: {"log"} | KEPT,
    PROVIDER_KEY: set(),
    CLIENT_KEY: set(),
    WRONG_KEY: set(),
    ACCESS_ERROR: {"log"},
    FOREIGN_KEY: set(),
}


@tool
async def leak(secret: str) -> str:
    """Give a secret."""
    assert secret == ARGUMENT
    return RESULT


@tool
async def fail() -> str:
    """Fail."""
    raise RuntimeError(f"dsn=postgres://u:{TOOL_ERROR}@h")


@tool
async def refuse() -> str:
    """Tell the model why not."""
    raise ToolError(f"not today: {TOOL_WORDS}")


SCENARIO = Scenario(
    name="leaks",
    says="says a secret, calls three tools, and is refused in the provider's own words",
    turns=(
        stream(
            say(f"The secret is {ANSWER}. "),
            calls(
                Fragment(index=0, call_id="c0", name="leak", arguments=f'{{"secret":"{ARGUMENT}"}}'),
                Fragment(index=1, call_id="c1", name="fail", arguments="{}"),
                Fragment(index=2, call_id="c2", name="refuse", arguments="{}"),
            ),
            Finish(reason="tool_calls"),
            Done(),
        ),
        attempts(reply(Status(code=401, kind="authentication_error", message=f"no: {PROVIDER_ERROR}"))),
    ),
    expected=fails("model_refused"),
)


@pytest.fixture
def operators_log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What an operator sees who wants to see everything."""
    log = logging.getLogger("treadle")
    before = (log.propagate, list(log.handlers))
    with caplog.at_level(logging.DEBUG, logger="treadle"):
        yield caplog
    log.propagate, log.handlers = before


@pytest.mark.requirement("ACCESS-secrets", "D38", "D40")
def test_each_secret_appears_exactly_where_it_may(
    tmp_path: Path,
    operators_log: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue: a sweep over log rows, streams, errors, metrics, the command and the operator's log."""
    monkeypatch.chdir(tmp_path)
    db = tmp_path / "runs.db"
    found, run_id = asyncio.run(_served(db))
    found["store"] = b"".join(path.read_bytes() for path in sorted(tmp_path.glob("runs.db*"))).decode("latin-1")
    found["log"] = operators_log.text
    for name, words in {
        "runs": ("runs",),
        "threads": ("threads",),
        "show": ("show", run_id),
        "tail": ("tail", run_id),
        "show_lines": ("show", run_id, "--json"),
        "tail_lines": ("tail", run_id, "--json"),
        "export": ("export", "--all"),
        "export_facts": ("export", "--all", "--with-facts"),
        "command_refusal": ("show", "r_none", "--debug"),
    }.items():
        main([*words, "--scope", "acme"])
        found[name] = "".join(capfd.readouterr())
    assert all(found.values()), {name for name, text in found.items() if not text}
    appears = {canary: {name for name, text in found.items() if canary in text} for canary in MAY_APPEAR}
    assert appears == dict(MAY_APPEAR)


async def _served(db: Path) -> tuple[dict[str, str], str]:
    keys = ApiKeys(
        {
            CLIENT_KEY: Principal(name="owner", scope="acme", may=list(Action)),
            FOREIGN_KEY: Principal(name="foreign", scope="globex", may=list(Action)),
        }
    )

    async def access(connection: HTTPConnection) -> Principal:
        if "x-break" in connection.headers:
            raise RuntimeError(f"ldap://{ACCESS_ERROR}")
        return await keys(connection)

    async with FaultServer(scenarios={SCENARIO.name: SCENARIO}) as provider:
        model = OpenAIChat(SCENARIO.name, base_url=provider.base_url, api_key=PROVIDER_KEY)
        agent = Agent(name="a", model=model, instructions=f"Keep {INSTRUCTIONS}.", tools=[leak, fail, refuse])
        async with Server([agent], store=f"sqlite:///{db}", access=access) as server:
            return await _asked(server)


async def _asked(server: Server) -> tuple[dict[str, str], str]:
    app, own, foreign = server.asgi, ("X-API-Key", CLIENT_KEY), ("X-API-Key", FOREIGN_KEY)
    run_id = await started(app, f"Tell me {PROMPT}.", own, thread_id="t")

    async def told(target: str, *headers: tuple[str, str]) -> str:
        return _all_of(await ask(app, "GET", target, *(headers or (own,))))

    run = f"/v1/runs/{run_id}"
    found = {
        "events": await told(f"{run}/events"),
        "lines": await told(f"{run}/events", own, NDJSON),
        "run": await told(run),
        "list": await told("/v1/runs"),
        "thread": await told("/v1/threads/t"),
        "agents": await told("/v1/agents"),
        "openapi": await told("/openapi.json"),
        "refusals": "".join(
            [
                await told(f"{run}/events?after=9:99999"),
                await told(f"{run}/events?after={ANSWER[:3]}"),
                await told(run, ("X-API-Key", WRONG_KEY)),
                await told(run, ("Authorization", f"Bearer {WRONG_KEY}")),
                await told(run, own, ("X-Break", "1")),
                await told("/v1/none"),
            ]
        ),
        "foreign": "".join([await told(path, foreign) for path in (run, f"{run}/events", "/v1/runs", "/v1/threads/t")]),
        "metrics": await told("/metrics"),
    }
    return found, run_id


def _all_of(call: Call) -> str:
    return f"{call.status} {call.headers} {call.body.decode()}"
