"""The commands about pauses, as they are typed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.behaviour.answers import PAY, Till, asked
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
    assert main(["answer", run_id, "--approve", "--db", store]) == ExitCode.MISUSE

    async def go_on() -> None:
        async with Runner([scripted(PAY, tools=[Till().pay])], store=f"sqlite:///{store}") as runner:
            async for _ in runner.watch(run_id):
                pass

    asyncio.run(go_on())
    capfd.readouterr()
    assert main(["audit", run_id, "--json", "--db", store]) == ExitCode.DONE
    (line,) = capfd.readouterr().out.splitlines()
    assert (json.loads(line)["by"], json.loads(line)["result"]) == ("ann", "ok")
    assert main(["audit", run_id, "--db", store]) == ExitCode.DONE
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
    assert "waits for nothing" in capfd.readouterr().err


def test_an_answer_that_does_not_fit_is_an_error_and_takes_nothing(
    waiting: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: the code and what is wrong; exit 1."""
    store, run_id = waiting
    assert main(["answer", run_id, "--value", "1", "--db", store]) == ExitCode.ERROR
    assert "bad_answer" in capfd.readouterr().err
    assert main(["answer", "r_none", "--approve", "--db", store]) == ExitCode.ERROR
    assert main(["answer", run_id, "--approve", "--db", store]) == ExitCode.DONE
