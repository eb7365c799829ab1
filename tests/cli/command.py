"""The command as its users run it: a process of its own, watched from outside.

Every wait is bounded: a process that takes longer than `LONGEST_S` is killed, and then the test sees its end.
"""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST_S = 40.0
# Who leads a session and opens a terminal gets its Ctrl-C.
TAKE_TERMINAL = "import os, sys; os.close(os.open(os.ttyname(0), os.O_RDWR)); os.execv(sys.argv[1], sys.argv[1:])"


def environment(**more: str) -> dict[str, str]:
    """The variables of a plain machine with this source tree on its path."""
    kept = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "LANG", "COVERAGE_PROCESS_START")
    plain = {name: os.environ[name] for name in kept if name in os.environ}
    return plain | {"PYTHONPATH": str(ROOT / "src"), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | more


def command(*words: str) -> list[str]:
    """The command line that runs `treadle` with these words."""
    return [sys.executable, "-m", "treadle", *words]


def treadle(
    *words: str, cwd: Path, given: str | bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, with this input."""
    data = given.encode() if isinstance(given, str) else given
    ran = subprocess.run(
        command(*words), cwd=cwd, input=data, env=environment(**(env or {})), capture_output=True,
        timeout=LONGEST_S, check=False,
    )  # fmt: skip
    return subprocess.CompletedProcess(ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode())


class Running:
    """A command that runs: its lines as they come, and signals to it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.seen: list[str] = []

    def until(self, part: str) -> str:
        """The next line of stdout that holds `part`."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.seen.append(line)
            if part in line:
                return line
        raise AssertionError(f"{part!r} never came; {self.seen!r}, {self._rest()!r}")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        self._process.send_signal(number)

    def end(self) -> tuple[list[str], str, int]:
        """Wait for the end: all lines of stdout, stderr, and the exit code."""
        stdout, stderr = self._process.communicate()
        return [*self.seen, *stdout.splitlines(keepends=True)], stderr, self._process.returncode

    def _rest(self) -> str:
        return self._process.communicate()[1]


@contextmanager
def started(*words: str, cwd: Path) -> Iterator[Running]:
    """Start the command and let the test watch it."""
    process = subprocess.Popen(
        command(*words), cwd=cwd, env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    with _bounded(process):
        yield Running(process)


class Terminal:
    """A command on a terminal: what is on the screen so far, and a keyboard."""

    def __init__(self, process: subprocess.Popen[bytes], fd: int) -> None:
        self._process = process
        self._fd = fd
        self.screen = ""
        self._ahead = ""

    def type(self, keys: str) -> None:
        """Press these keys."""
        os.write(self._fd, keys.encode())

    def until(self, part: str) -> str:
        """Read on until `part` has come; all that came since the last call, up to its end."""
        while part not in self._ahead:
            piece = self._read()
            assert piece, f"{part!r} never came; {self.screen!r}"
            self._ahead += piece
        before, _, self._ahead = self._ahead.partition(part)
        return before + part

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        self._process.send_signal(number)

    def end_by(self, act: Callable[[], None]) -> int:
        """Do this at a prompt until it ends the process. Returns the exit code.

        Between showing a prompt and waiting for a key Python hears of no signal, so once may not be enough.
        """
        for _ in range(int(LONGEST_S)):
            act()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1)
                break
        return self.end()

    def end(self) -> int:
        """Read to the end. Returns the exit code."""
        while self._read():
            pass
        return self._process.wait()

    def _read(self) -> str:
        try:
            piece = os.read(self._fd, 1024).decode(errors="replace")
        except OSError:
            # How Linux says that the other side of a terminal is closed.
            return ""
        self.screen += piece
        return piece


@contextmanager
def on_terminal(*words: str, cwd: Path, env: Mapping[str, str] | None = None) -> Iterator[Terminal]:
    """Start the command on a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", TAKE_TERMINAL, *command(*words)], cwd=cwd, env=environment(**(env or {})),
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        with _bounded(process):
            yield Terminal(process, ours)
    finally:
        os.close(ours)


@contextmanager
def _bounded(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> Iterator[None]:
    watchdog = threading.Timer(LONGEST_S, process.kill)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
