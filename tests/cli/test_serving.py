"""What is served, on a socket, until a stop signal: the command in a process of its own."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cli.command import started, treadle
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.cli.exits import CommandMisuseError, ExitCode
from treadle.cli.serving import served

AGENTS = """
from treadle import Agent, Server, tool
from treadle.server.pulse import Rhythm

@tool
async def hang() -> str:
    \"\"\"Never come back.\"\"\"
    import asyncio
    await asyncio.Event().wait()
    return ""

one = Agent(name="one", model="scripted:one.script", tools=[hang])
slow = Agent(name="slow", model="scripted:slow.script", tools=[hang])
several = [one, slow]
server = Server(several, store="sqlite:///own.db", rhythm=Rhythm(drain_s=0.2))

def made():
    return several
"""

OFFERING = """
from treadle import Agent

class Silent:
    name = "silent"

    async def ask(self, request):
        yield []

one = Agent(name="one", model=Silent())
two = Agent(name="two", model=Silent())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with agents in it."""
    (tmp_path / "agents_here.py").write_text(AGENTS)
    (tmp_path / "one.script").write_text("text: It |is 3.\n")
    (tmp_path / "slow.script").write_text("text: It \ncall: hang {}\n---\ntext: is 3.\n")
    return tmp_path


def asked(url: str, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
    """One request."""
    split = urlsplit(url)
    connection = http.client.HTTPConnection(split.hostname or "", split.port, timeout=20)
    connection.request(method, path, None if body is None else json.dumps(body), {"content-type": "application/json"})
    response = connection.getresponse()
    try:
        return response.status, json.loads(response.read())
    finally:
        connection.close()


@pytest.mark.slow
@pytest.mark.requirement("SERVE-command")
def test_agents_are_served_and_commands_go_through_the_process_that_serves_them(folder: Path) -> None:
    """Issue: `treadle serve MODULE:NAME`; the CLI goes through the owner's server; SIGTERM drains."""
    with started("serve", "agents_here:several", "--port", "0", cwd=folder) as serving:
        url = serving.until("serving at").split()[-1]
        status, run = asked(url, "POST", "/v1/runs", {"agent": "one", "prompt": "1+2?", "thread_id": "t"})
        assert status == 201
        tail = treadle("tail", run["run_id"], cwd=folder)
        assert (tail.returncode, tail.stderr) == (0, "")
        assert tail.stdout.startswith("It is 3.")
        assert treadle("show", run["run_id"], "--json", cwd=folder).stdout.count("It is 3.") == 2
        replayed = treadle("replay", run["run_id"], "--as", "plain", cwd=folder)
        assert (replayed.returncode, replayed.stderr, "event: done" in replayed.stdout) == (0, "", True)
        assert run["run_id"] in treadle("runs", cwd=folder).stdout
        assert treadle("threads", cwd=folder).stdout.count("t ") >= 1
        exported = treadle("export", "--all", "--with-facts", cwd=folder)
        assert exported.returncode == 0
        again = treadle("import", "-", cwd=folder, given=exported.stdout)
        assert again.stdout == "imported 0 runs; 1 was there already\n"
        _, hanging = asked(url, "POST", "/v1/runs", {"agent": "slow", "prompt": "1+2?"})
        stop = treadle("cancel", hanging["run_id"], cwd=folder)
        assert (stop.returncode, "cancel accepted" in stop.stdout) == (0, True)
        assert treadle("tail", hanging["run_id"], cwd=folder).returncode == ExitCode.CANCELLED
        serving.signal(signal.SIGTERM)
        _, stderr, code = serving.end()
        assert code == 0
        assert "stopping" in stderr
        assert "Traceback" not in stderr
    assert not (folder / "runs.db.token").exists()
    assert run["run_id"] in treadle("runs", cwd=folder).stdout


@pytest.mark.slow
@pytest.mark.requirement("SERVE-owner")
def test_each_command_over_a_served_store_says_what_it_says_over_the_file_or_why_it_cannot(folder: Path) -> None:
    """Issue: the commands go through the owner's server: the right result, or one sentence and exit 2."""
    with started("serve", "agents_here:several", "--port", "0", cwd=folder) as serving:
        url = serving.until("serving at").split()[-1]
        run_id = asked(url, "POST", "/v1/runs", {"agent": "one", "prompt": "1+2?", "thread_id": "t"})[1]["run_id"]
        assert treadle("tail", run_id, cwd=folder).returncode == 0
        asks = {
            "done": ("show", run_id),
            "missing": ("show", "r_none"),
            "cursor": ("tail", run_id, "--after", "1:1", "--events"),
            "ahead": ("tail", run_id, "--after", "1:99"),
            "threads": ("threads", "--json"),
            "export": ("export", run_id, "--with-facts"),
            "runs": ("runs", "--json"),
            "cancel": ("cancel", run_id),
            "damaged": ("import", "-"),
        }
        through = {name: treadle(*words, cwd=folder) for name, words in asks.items()}
        refused = [
            treadle("db", "upgrade", cwd=folder),
            treadle("run", "--agent", "agents_here:one", "--db", "runs.db", "hi", cwd=folder),
            treadle("serve", "agents_here:one", "--port", "0", cwd=folder),
        ]
        serving.signal(signal.SIGTERM)
        assert serving.end()[2] == 0
    for ran in refused:
        assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (ExitCode.MISUSE, "", 1)
        assert url in ran.stderr
    over_file = {name: treadle(*words, cwd=folder) for name, words in asks.items()}
    for name, ran in through.items():
        alone = over_file[name]
        assert (ran.returncode, ran.stdout, ran.stderr) == (alone.returncode, alone.stdout, alone.stderr), name
    assert [line.count('"cursor"') for line in through["cursor"].stdout.splitlines()] == [1] * 4
    assert through["done"].stdout


@pytest.mark.slow
def test_a_server_that_is_stopped_ends_a_hundred_streams_in_good_order(folder: Path) -> None:
    """Design §9: drain on shutdown. No closing event, the body ends, and every client can come back."""
    with started("serve", "agents_here:server", "--port", "0", cwd=folder) as serving:
        url = serving.until("serving at").split()[-1]
        run_id = asked(url, "POST", "/v1/runs", {"agent": "slow", "prompt": "1+2?"})[1]["run_id"]
        split = urlsplit(url)
        streams = [socket.create_connection((split.hostname or "", split.port or 0), timeout=20) for _ in range(100)]
        came = [b""] * len(streams)
        for stream in streams:
            stream.sendall(f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        for number, stream in enumerate(streams):
            while b"event: tool_call\n" not in came[number]:
                came[number] += stream.recv(65536)
        serving.signal(signal.SIGTERM)
        for number, stream in enumerate(streams):
            while piece := stream.recv(65536):
                came[number] += piece
            stream.close()
        _, stderr, code = serving.end()
        assert (code, "Traceback" in stderr) == (0, False)
    assert len({body.partition(b": treadle")[2] for body in came}) == 1
    assert came[0].endswith(b"\r\n0\r\n\r\n")
    assert b"event: done" not in came[0]
    assert json.loads(treadle("runs", "--json", "--db", "own.db", cwd=folder).stdout)["state"] == "ready"


@pytest.mark.slow
def test_a_server_with_live_runs_gives_them_back_when_their_time_is_over(folder: Path) -> None:
    """Design §9: drain on shutdown. Promise 5: the run goes on at the next process."""
    with started("serve", "agents_here:server", "--port", "0", cwd=folder) as serving:
        url = serving.until("serving at").split()[-1]
        asked(url, "POST", "/v1/runs", {"agent": "slow", "prompt": "1+2?"})
        serving.signal(signal.SIGINT)
        _, _, code = serving.end()
        assert code == 0
    listed = treadle("runs", "--json", "--db", "own.db", cwd=folder)
    assert json.loads(listed.stdout)["state"] == "ready"


def test_a_port_that_is_taken_and_a_store_that_is_owned_are_a_misuse(folder: Path) -> None:
    """Issue: port taken → words and an exit code like other errors."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = treadle("serve", "agents_here:one", "--port", str(taken.getsockname()[1]), cwd=folder)
    assert (ran.returncode, ran.stdout) == (ExitCode.MISUSE, "")
    assert "in use" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_nobody_is_served_from_outside_without_being_asked_who_they_are(folder: Path) -> None:
    """Issue: no auth and not loopback = refuse to start, saying why."""
    ran = treadle("serve", "agents_here:one", "--port", "0", "--host", "0.0.0.0", cwd=folder)
    assert (ran.returncode, ran.stdout) == (ExitCode.MISUSE, "")
    assert "access" in ran.stderr


def test_a_name_is_an_agent_several_a_server_or_a_function_that_makes_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/cli.md: what may be served."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.delitem(sys.modules, "agents_here", raising=False)
    for name in ("one", "several", "server", "made"):
        assert isinstance(served(f"agents_here:{name}", store=None), Server)
    assert isinstance(sys.modules["agents_here"].one, Agent)
    with pytest.raises(CommandMisuseError, match="has a store of its own"):
        served("agents_here:server", store="sqlite:///x.db")
    for name in ("hang", "Agent"):
        with pytest.raises(CommandMisuseError):
            served(f"agents_here:{name}", store=None)
    monkeypatch.delitem(sys.modules, "agents_here", raising=False)


@pytest.mark.requirement("SERVE-module")
@pytest.mark.parametrize(
    ("more", "names"),
    [
        ("", ["one", "two"]),
        ("again = one\n_kept = Agent(name='kept', model=Silent())\n", ["one", "two"]),
        ("agent = two\n", ["two"]),
        ("agents = [two]\nagent = one\n", ["two"]),
        ("agents = (one, two)\n", ["one", "two"]),
        ("agents = []\n", ["one", "two"]),
        ("def agents():\n    return [two]\n", ["two"]),
        ("class App:\n    async def __call__(self, scope, receive, send): ...\napp = App()\n", ["one", "two"]),
        ("from treadle import Server\napp = Server([two])\nagents = [one]\n", ["two"]),
        ("from treadle import Server\nserver = Server([one])\napp = Server([two])\n", ["one"]),
    ],
)
def test_a_module_alone_is_all_that_it_offers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str, names: list[str]
) -> None:
    """docs/cli.md: the first of `server`, `app`, `agents`, `agent` that can be served, else all agents at its top."""
    (tmp_path / "offering.py").write_text(OFFERING + more)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "offering", raising=False)
    server = served("offering", store=None)
    assert list(server.runner._agents) == names  # noqa: SLF001 (tests look where users do not)
    monkeypatch.delitem(sys.modules, "offering", raising=False)
