"""The commands about pauses, as they are typed."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from tests.behaviour.answers import PAY, Till, asked
from tests.cli.command import treadle
from tests.runtime.agents import scripted
from treadle.app.runner import Runner
from treadle.cli import lines
from treadle.cli.commands import main
from treadle.cli.exits import ExitCode

pytestmark = [pytest.mark.slow, pytest.mark.requirement("CLI-answer")]


@pytest.fixture
def waiting(tmp_path: Path) -> tuple[str, str]:
    """A store with a run that waits, and the run."""
    store = tmp_path / "runs.db"

    async def fill() -> str:
        async with Runner([scripted(PAY, tools=[Till().pay])], store=f"sqlite:///{store}") as runner:
            return (await asked(runner))[0]

    return str(store), asyncio.run(fill())


def test_a_run_is_answered_and_its_audit_tells_by_whom(
    waiting: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: `treadle answer RUN --approve --as NAME`, and `treadle audit RUN --json` when it has gone on."""
    store, run_id = waiting
    assert main(["answer", run_id, "--approve", "--as", "ann", "--db", store]) == ExitCode.DONE
    assert "answer accepted" in capfd.readouterr().out
    assert main(["answer", run_id, "--approve", "--db", store]) == ExitCode.ERROR
    late = capfd.readouterr().err
    assert "error: already_answered: " in late
    assert "was answered by ann (approve) and waits for a process" in late
    assert main(["audit", run_id, "--db", store]) == ExitCode.DONE
    assert "ann  approve" in (waits := capfd.readouterr().out)
    assert waits.endswith("result none yet: no process has taken it up\n")
    assert main(["show", run_id, "--db", store]) == ExitCode.DONE
    assert "answered approve by ann, " in capfd.readouterr().out

    async def go_on() -> None:
        async with Runner([scripted(PAY, tools=[Till().pay])], store=f"sqlite:///{store}") as runner:
            async for _ in runner.watch(run_id):
                pass

    asyncio.run(go_on())
    capfd.readouterr()
    assert main(["audit", run_id, "--json", "--db", store]) == ExitCode.DONE
    (line,) = capfd.readouterr().out.splitlines()
    assert (json.loads(line)["by"], json.loads(line)["result"]) == ("ann", "ok")
    assert main(["audit", "--db", store]) == ExitCode.MISUSE
    assert main(["audit", "--all", "--db", store]) == ExitCode.DONE
    assert "ann  approve" in capfd.readouterr().out


def test_without_a_decision_the_person_is_asked(
    waiting: tuple[str, str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/cli.md: what is asked goes to stderr; an empty line leaves it open, exit 3."""
    store, run_id = waiting
    typed = iter(["", "deny", "too dear"])
    monkeypatch.setattr(lines, "next_line", lambda _="": next(typed, None))
    assert main(["answer", run_id, "--db", store]) == ExitCode.PAUSED
    assert 'leave to call pay with {"cents":5}' in capfd.readouterr().err
    assert main(["answer", run_id, "--json", "--db", store]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out)["open"] == []
    assert main(["answer", run_id, "--db", store]) == ExitCode.DONE
    assert "the run waits for nothing: pause " in capfd.readouterr().err


@pytest.mark.requirement("PAUSE-cancel-first")
def test_an_answer_after_a_cancel_is_refused_and_the_audit_says_who_cancelled(
    waiting: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: with no process at work on the run; exit 1, and nothing is lost."""
    store, run_id = waiting
    assert main(["cancel", run_id, "--as", "bob", "--db", store]) == ExitCode.DONE
    for words in (["--approve"], ["--approve", "--pause", f"{run_id}.i1"]):
        capfd.readouterr()
        assert main(["answer", run_id, *words, "--as", "ann", "--db", store]) == ExitCode.ERROR
        assert "error: cancel_asked: " in capfd.readouterr().err
    assert main(["answer", run_id, "--db", store]) == ExitCode.DONE
    capfd.readouterr()
    assert main(["audit", run_id, "--db", store]) == ExitCode.DONE
    assert "bob  cancelled with its run" in capfd.readouterr().out
    assert main(["show", run_id, "--db", store]) == ExitCode.DONE
    assert "asked for by bob, " in capfd.readouterr().out


@pytest.mark.requirement("CLI-answer-late")
def test_a_pause_that_never_was_is_said_to(waiting: tuple[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: exit 1, and which are open; without an option too, instead of passing over it."""
    store, run_id = waiting
    for words in (["--approve"], []):
        assert main(["answer", run_id, "--pause", f"{run_id}.i7", *words, "--db", store]) == ExitCode.ERROR
        assert f"open are {run_id}.i1" in capfd.readouterr().err


@pytest.mark.requirement("PAUSE-secret")
@pytest.mark.skipif(os.name != "posix", reason="platform: modes of files are of POSIX systems")
def test_a_key_file_that_others_can_read_is_refused_at_once(waiting: tuple[str, str], tmp_path: Path) -> None:
    """docs/pauses.md: in one line, exit 2, as a secret that is none; by the server before it serves."""
    store, run_id = waiting
    Path(f"{store}.key").chmod(0o644)
    (tmp_path / "served_by_key.py").write_text(
        "from treadle import Agent\nagent = Agent(name='a', model='scripted:a.script')\n"
    )
    (tmp_path / "a.script").write_text("text: hi\n")
    for words in (["answer", run_id, "--approve"], ["serve", "served_by_key:agent", "--port", "0"]):
        ran = treadle(*words, "--db", store, cwd=tmp_path)
        assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (ExitCode.MISUSE, "", 1)
        assert "can be read by others" in ran.stderr
    Path(f"{store}.key").chmod(0o600)
    assert main(["answer", run_id, "--approve", "--db", store]) == ExitCode.DONE


def test_an_answer_that_does_not_fit_is_an_error_and_takes_nothing(
    waiting: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: the code and what is wrong; exit 1."""
    store, run_id = waiting
    assert main(["answer", run_id, "--value", "1", "--db", store]) == ExitCode.ERROR
    assert "bad_answer" in capfd.readouterr().err
    assert main(["answer", "r_none", "--approve", "--db", store]) == ExitCode.ERROR
    assert main(["answer", run_id, "--approve", "--db", store]) == ExitCode.DONE
