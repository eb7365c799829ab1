"""Ctrl-C and SIGTERM, as a wish the loop hears."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from treadle.cli.stopping import stop_signals

BLOCKED = """
import asyncio, os, signal
from treadle.cli.stopping import stop_signals

async def main():
    with stop_signals():
        os.kill(os.getpid(), signal.SIGINT)
        print("first", flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
        while True:
            pass

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_first_signal_is_a_wish_and_nothing_else(number: signal.Signals) -> None:
    """docs/cli.md: Ctrl-C cancels cleanly, and SIGTERM is the same."""
    with stop_signals() as stop:
        assert not stop.asked
        os.kill(os.getpid(), number)
        async with asyncio.timeout(5):
            await stop.wait()
        assert stop.asked
        assert stop.terminated == (number is signal.SIGTERM)


async def test_outside_the_block_signals_do_what_they_did() -> None:
    """Ours: at the prompt of a chat Ctrl-C ends the chat, as in any program."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with stop_signals():
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] != before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.slow
@pytest.mark.requirement("CLI-08")
def test_the_second_signal_ends_the_process_even_while_the_loop_is_blocked() -> None:
    """Ours: a person who asks twice does not want to wait for anything."""
    ran = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, timeout=30, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("first\n", "", 130)
