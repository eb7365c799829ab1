"""The client for JavaScript and TypeScript: in Node, and in a browser, against a real server."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tests.examples.serving import WAIT_S, Pace, Way, loaded, served
from tests.examples.test_browser import CHROMIUM, browsing
from tests.runtime.agents import scripted
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.plan.tools import tool
from treadle.projections.plain.wire import KINDS

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "ts"
HERE = Path(__file__).parent
LEAST_NODE = 20
PROMPT = "May I leave?"
TSC = CLIENT / "node_modules" / ".bin" / "tsc"


def _node() -> str | None:
    found = shutil.which("node")
    if found is None:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    return found if int(version.strip().lstrip("v").partition(".")[0]) >= LEAST_NODE else None


NODE = _node()
with_node = pytest.mark.skipif(NODE is None, reason="platform: there is no Node 20 or later here")


class Driven:
    """A program in Node: what it prints, line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.said: list[dict[str, Any]] = []

    async def until(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read on until something is said."""
        while True:
            assert self._process.stdout is not None
            line = await self._process.stdout.readline()
            assert line, f"it ended after {self.said!r}"
            self.said.append(json.loads(line))
            if holds(self.said[-1]):
                return self.said[-1]

    async def over(self) -> list[dict[str, Any]]:
        """Read to the end; it came there well."""
        out, _ = await self._process.communicate()
        self.said += map(json.loads, out.splitlines())
        assert self._process.returncode == 0
        return self.said

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events that it was given by now."""
        return [one for one in self.said if "kind" in one]


@asynccontextmanager
async def driven(*words: str) -> AsyncGenerator[Driven, None]:
    """The program of these tests, for the block."""
    assert NODE is not None
    process = await asyncio.create_subprocess_exec(
        NODE, str(HERE / "drive.mjs"), *words, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield Driven(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def text_of(events: list[dict[str, Any]]) -> str:
    """The text that events say."""
    return "".join(event["text"] for event in events if event["kind"] == "text_delta")


@with_node
@pytest.mark.slow
@pytest.mark.requirement("CLIENT-odd")
def test_the_client_reads_what_no_real_server_does_on_demand() -> None:
    """Ours: cut anywhere, broken, silent, refused, in words of a proxy's: by a server that is a function."""
    assert NODE is not None
    done = subprocess.run([NODE, "--test", str(HERE / "treadle.test.mjs")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@with_node
@pytest.mark.slow
@pytest.mark.requirement("CLIENT-follow")
async def test_a_connection_that_is_cut_in_mid_answer_costs_no_event_and_doubles_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ours: resume by cursor, each event once and in order; what was read whole is over."""
    example, pace = loaded("fastapi_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    words = example.WORDS
    async with (
        asyncio.timeout(WAIT_S),
        served(example.app) as port,
        Way(port).opened() as (way, address),
        driven(f"{address}/agents", "whole", "guide", PROMPT) as program,
    ):
        pace.let(4)
        await program.until(lambda one: one.get("text") == words[2])
        way.cut_at(f'"text":{json.dumps(words[6])}')
        pace.let(5)
        await program.until(lambda one: "retry" in one)
        pace.let(1_000)
        said = await program.over()
    assert way.cuts == 1
    assert [event["index"] for event in program.events] == [*range(len(program.events))]
    assert program.events[-1]["kind"] == "done"
    assert text_of(program.events) == said[-1]["text"] == f"You asked: {PROMPT}\n\n{''.join(words)}"
    reads = [line for line, _ in way.asked if "/events?" in line]
    assert ["after=" in line for line in reads] == [False, True, True]


@with_node
@pytest.mark.slow
@pytest.mark.requirement("CLIENT-start")
async def test_a_start_whose_answer_is_lost_starts_nothing_twice() -> None:
    """Ours: a start is sent again with its key."""
    async with (
        asyncio.timeout(WAIT_S),
        served(Server([scripted("text: ok")]).asgi) as port,
        Way(port).opened() as (way, address),
    ):
        way.cut_at('"run_id"')
        async with driven(address, "whole", "a", PROMPT) as program:
            said = await program.over()
    starts = [line for line, _ in way.asked if line.startswith("POST /v1/runs ")]
    assert (way.cuts, len(starts)) == (1, 2)
    assert said[-1] == {"text": "ok"}


@with_node
@pytest.mark.slow
@pytest.mark.requirement("CLIENT-stop", "CLIENT-answer")
async def test_runs_are_stopped_and_answered_and_what_is_not_there_is_said_so() -> None:
    """Ours: `stop`, `answer`, and a refusal with its code."""

    @tool(requires_approval=True)
    def pay(euros: int) -> str:
        """Pay somebody."""
        return f"paid {euros}"

    pays = scripted('text: May I? \ncall: pay {"euros": 3}\n---\ntext: Done.', tools=[pay])
    talks = Agent(name="talks", model=scripted("text: It |is\ngate: never\ntext: 3.").model)
    async with asyncio.timeout(WAIT_S), served(Server([pays, talks]).asgi) as port:
        address = f"http://127.0.0.1:{port}/"
        async with driven(address, "stop", "talks", PROMPT) as stopping:
            await stopping.over()
        assert stopping.events[-1]["kind"] == "cancelled"
        assert {"accepted": True} in [{"accepted": one.get("accepted")} for one in stopping.said]
        async with driven(address, "answer", "a", PROMPT) as answering:
            said = await answering.over()
        (asked,) = [one["pauses"] for one in said if "pauses" in one]
        assert [pause["kind"] for pause in asked] == ["approval"]
        assert [event["index"] for event in answering.events] == [*range(len(answering.events))]
        kinds = [event["kind"] for event in answering.events]
        assert ("interrupt" in kinds, kinds[-1], text_of(answering.events)) == (True, "done", "May I? Done.")
        async with driven(address, "missing") as missing:
            assert await missing.over() == [{"code": "run_not_found", "status": 404}]


@pytest.mark.slow
@pytest.mark.requirement("CLIENT-browser")
@pytest.mark.skipif(CHROMIUM is None, reason="platform: there is no Chromium here (Debian: apt install chromium)")
async def test_a_page_reads_on_behind_a_connection_that_was_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: the same file in a browser, by `import` and `fetch` alone."""
    example, pace = loaded("fastapi_app"), Pace()
    monkeypatch.setattr(example, "pause", pace.pause)
    words = example.WORDS
    app = Starlette(
        routes=[
            Route("/page", lambda _: HTMLResponse("<!doctype html><title>client</title>")),
            Mount("/client", StaticFiles(directory=CLIENT)),
            Mount("/", example.app),
        ],
        lifespan=example.server.lifespan,
    )
    program = """async (words) => {
        const { Treadle } = await import("/client/treadle.js");
        const treadle = new Treadle("/agents", { first_ms: 1 });
        const { run_id } = await treadle.start({ agent: "guide", prompt: words });
        const found = [], onRetry = () => { document.title = "retry"; };
        for await (const event of treadle.follow(run_id, { onRetry })) {
            found.push(event);
            if (event.kind === "text_delta") document.title = String(event.index);
        }
        return found;
    }"""
    async with (
        asyncio.timeout(WAIT_S),
        served(app) as port,
        Way(port).opened() as (way, address),
        browsing() as page,
    ):
        await page.goto(f"{address}/page")
        way.cut_at(f'"text":{json.dumps(words[6])}')
        pace.let(1_000)
        found = await page.evaluate(program, PROMPT)
    assert way.cuts == 1
    assert [event["index"] for event in found] == [*range(len(found))]
    assert text_of(found) == f"You asked: {PROMPT}\n\n{''.join(words)}"


@pytest.mark.requirement("CLIENT-types")
def test_the_types_name_every_kind_and_everything_that_the_client_offers() -> None:
    """Ours: what TypeScript is told is what there is; seen without TypeScript."""
    told = (CLIENT / "treadle.d.ts").read_text(encoding="utf-8")
    (kinds,) = re.findall(r"^export type EventKind = ([^;]+);", told, re.MULTILINE)
    assert tuple(re.findall(r'"(\w+)"', kinds)) == KINDS
    offered = re.findall(r"^export class (\w+)", (CLIENT / "treadle.js").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(re.findall(r"^export class (\w+)", told, re.MULTILINE)) == sorted(offered)
    assert {"follow", "start", "stop", "pauses", "answer", "run"} <= set(
        re.findall(r"^    (\w+)\(", told, re.MULTILINE)
    )


@pytest.mark.slow
@pytest.mark.requirement("CLIENT-types")
@pytest.mark.skipif(not TSC.exists(), reason="platform: there is no TypeScript here (npm install in clients/ts)")
def test_the_types_are_made_of_the_client_and_hold_in_it(tmp_path: Path) -> None:
    """Ours: `treadle.d.ts` is what `npm run types` makes of `treadle.js`, which is checked on the way."""
    for name in ("treadle.js", "tsconfig.json"):
        shutil.copy(CLIENT / name, tmp_path / name)
    done = subprocess.run([str(TSC), "-p", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "treadle.d.ts").read_text() == (CLIENT / "treadle.d.ts").read_text()
