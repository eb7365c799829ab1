"""Bytes to standard output."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator

import pytest

from treadle.cli.output import Output, OutputError, ReaderGoneError


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe, its ends closed after the test."""
    reading, writing = os.pipe()
    yield reading, writing
    for fd in (reading, writing):
        try:
            os.close(fd)
        except OSError:
            continue


async def test_what_the_encoding_lacks_becomes_a_question_mark(pipe: tuple[int, int]) -> None:
    """Ours: a narrow terminal is no reason to fail."""
    await Output(pipe[1], encoding="ascii").send("a→b\ud800")
    assert os.read(pipe[0], 100) == b"a?b?"


async def test_a_slow_reader_makes_the_sender_wait_and_not_the_loop(pipe: tuple[int, int]) -> None:
    """Ours: behind a pager, timers and the answer to Ctrl-C go on."""
    data = "x" * 1_000_000
    sending = asyncio.create_task(Output(pipe[1]).send(data))
    while not (got := await asyncio.to_thread(os.read, pipe[0], 10)):
        pass
    assert not sending.done()
    while len(got) < len(data):
        got += await asyncio.to_thread(os.read, pipe[0], 65536)
    async with asyncio.timeout(5):
        await sending
    assert got == data.encode()


async def test_a_reader_that_has_gone_is_told_apart_from_a_full_disk(pipe: tuple[int, int]) -> None:
    """Ours: `| head` ends quietly, a full disk does not."""
    os.close(pipe[0])
    with pytest.raises(ReaderGoneError):
        await Output(pipe[1]).send("x")
    reading = os.open(os.devnull, os.O_RDONLY)
    with pytest.raises(OutputError):
        await Output(reading).send("x")
    os.close(reading)


async def test_a_reader_that_goes_while_nothing_is_written_is_noticed(pipe: tuple[int, int]) -> None:
    """docs/cli.md: a run that says nothing does not go on for nobody; whoever does not write to a pipe waits on."""
    reading, writing = pipe
    output = Output(writing)
    gone, ever = asyncio.create_task(output.gone()), asyncio.create_task(Output(reading).gone())
    await asyncio.sleep(0)
    await output.send("x")
    assert not gone.done()
    os.close(reading)
    async with asyncio.timeout(5):
        await gone
    assert not ever.done()
    ever.cancel()
    with pytest.raises(ReaderGoneError):
        await output.send("x")


def script(body: str, *, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python that has `output` at hand."""
    source = "import asyncio, os, sys\nfrom treadle.cli import output\n" + textwrap.dedent(body)
    # A buffered stdout is what users have, whatever the tests run in.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-c", source],
        env=environment, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=30, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_what_others_print_does_not_come_between_the_lines_of_a_script() -> None:
    """docs/cli.md: nothing but events on stdout, ever."""
    ran = script("""
        print("before")
        with output.for_scripts() as out:
            print("a tool's own print")
            os.write(1, b"a C library\\n")
            asyncio.run(out.send("line\\n"))
        print("after")
    """)
    assert ran.stdout == "before\nline\nafter\n"
    assert sorted(ran.stderr.splitlines()) == ["a C library", "a tool's own print"]


@pytest.mark.slow
def test_a_reader_that_has_gone_leaves_nothing_to_complain_about_at_exit() -> None:
    """Ours: the interpreter's last flush stays silent too."""
    reading, writing = os.pipe()
    os.close(reading)
    ran = script(
        """
        try:
            with output.for_people() as out:
                print("held in the buffer of stdout", end="")
                asyncio.run(out.send("x"))
        except output.ReaderGoneError:
            print("gone", file=sys.stderr)
        """,
        stdout=writing,
    )
    os.close(writing)
    assert (ran.stderr, ran.returncode) == ("gone\n", 0)


@pytest.mark.slow
def test_without_stderr_what_others_print_goes_nowhere() -> None:
    """Ours: a script that closed stderr still gets its lines and nothing else."""
    ran = script("""
        os.close(2)
        with output.for_scripts() as out:
            os.write(1, b"lost\\n")
            asyncio.run(out.send("line\\n"))
    """)
    assert ran.stdout == "line\n"
