"""Bytes to standard output: whole pieces, at once, never lost, and nobody else's between them where a script reads.

A slow reader (a pager, a full pipe) makes the sender wait, and only the sender: timers, tools and the answer to
Ctrl-C go on, because a write that might block happens beside the loop.
"""

from __future__ import annotations

import asyncio
import io
import os
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform != "win32":
    import fcntl

STDOUT_FD = 1
STDERR_FD = 2
SURE_BYTES = 512
"""A file descriptor that is ready takes this much without blocking (POSIX, the least PIPE_BUF)."""


class ReaderGoneError(Exception):
    """Nobody reads the output any more: the other end of the pipe is closed."""


class OutputError(Exception):
    """The output cannot be written, as on a full disk. The message says why."""


class Output:
    """Where the command's output goes."""

    def __init__(self, fd: int, *, encoding: str = "utf-8") -> None:
        self._fd = fd
        self._encoding = encoding

    async def send(self, text: str) -> None:
        """Write all of `text`; what the encoding lacks becomes a question mark.

        Raises:
            ReaderGoneError: The reader has closed its end.
            OutputError: The output cannot be written, as on a full disk.
        """
        data = text.encode(self._encoding, "replace")
        if len(data) <= SURE_BYTES and _ready(self._fd):
            self._write(data)
        else:
            await asyncio.to_thread(self._write, data)

    async def gone(self) -> None:
        """Wait until the other end of a pipe is closed, which who writes nothing would not notice. Else for ever."""
        gone = asyncio.Event()
        if not _is_pipe(self._fd):
            await gone.wait()
        loop = asyncio.get_running_loop()
        # A pipe that can only be written to is never readable, but that is how its end is told.
        loop.add_reader(self._fd, gone.set)
        try:
            await gone.wait()
        finally:
            loop.remove_reader(self._fd)

    def write(self, text: str) -> None:
        """The same, for work that has no loop: a slow reader makes it wait.

        Raises:
            ReaderGoneError, OutputError: See `send`.
        """
        self._write(text.encode(self._encoding, "replace"))

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except BrokenPipeError as gone:
            raise ReaderGoneError from gone
        except OSError as error:
            raise OutputError(error.strerror or type(error).__name__) from error


@contextmanager
def for_people() -> Iterator[Output]:
    """Standard output as people read it: in a terminal's own encoding, in UTF-8 anywhere else."""
    with _quiet_end():
        encoding = (sys.stdout.encoding or "utf-8") if is_terminal() else "utf-8"
        yield Output(STDOUT_FD, encoding=encoding)


@contextmanager
def for_scripts() -> Iterator[Output]:
    """Standard output for one writer alone: what a tool or a C library prints meanwhile goes to stderr."""
    with _quiet_end():
        own = os.dup(STDOUT_FD)
        try:
            os.dup2(STDERR_FD, STDOUT_FD)
            yield Output(own)
        finally:
            _flush()
            os.dup2(own, STDOUT_FD)
            os.close(own)


def is_terminal() -> bool:
    """Whether a person's terminal shows the output."""
    try:
        return os.isatty(STDOUT_FD)
    except OSError:
        return False


@contextmanager
def _quiet_end() -> Iterator[None]:
    """Once the reader has gone, the interpreter's own last flush must not complain about it."""
    _fill_standard_fds()
    _flush()
    # What a tool prints comes where it belongs between our own pieces, and never fails for a narrow encoding.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True, errors="replace")
    try:
        yield
    except ReaderGoneError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, STDOUT_FD)
        os.close(nowhere)
        raise


def _flush() -> None:
    if sys.stdout is not None:
        with suppress(OSError):
            sys.stdout.flush()


def _fill_standard_fds() -> None:
    """Whatever is opened next must not take the number of a standard stream that is closed."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= STDERR_FD:
        pass
    os.close(fd)


def _is_pipe(fd: int) -> bool:
    """Whether it is the end of a pipe at which is written alone."""
    if sys.platform == "win32":
        return False
    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode) and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
    except OSError:  # it is closed
        return False


def _ready(fd: int) -> bool:
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(0))
