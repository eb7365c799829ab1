"""The fault server from a shell."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from tests.testing.faults.raw_client import RawClient
from treadle.testing.faults.__main__ import main
from treadle.testing.faults.catalogue import SCENARIOS


def test_the_scenarios_are_listed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Name and what it does (ours)."""
    main(["--list"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(SCENARIOS)
    assert lines[0].endswith(SCENARIOS[lines[0].split()[0]].says)


@pytest.mark.slow
async def test_the_server_runs_until_it_is_interrupted() -> None:
    """The first line is its base URL, and an interrupt is a good end (ours)."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "treadle.testing.faults"), stdout=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):  # a new interpreter on a busy machine
            base_url = (await process.stdout.readline()).decode().strip()
            async with RawClient(base_url) as client:
                assert (await client.ask("text")).payloads[-1] == "[DONE]"
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
