"""A server in a process of its own: `treadle serve`, on a free port, over a file; or another that says its address so.

In: the program of a demo, and a folder. Out: its address, once it answers; and its end, by SIGKILL. Nothing of it is
left when its block is left, but its file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from treadle.cli.demos.outcome import DemoFailedError
from treadle.cli.store_choice import VARIABLE

STORE: Final = "TREADLE_DEMO_STORE"
"""The variable in which a program of a demo finds the file of its store."""
START_S: Final = 120.0
"""The longest it may take until it answers."""
LOOK_S: Final = 0.005
_SERVING: Final = re.compile(r"^serving at (http://\S+)$", re.MULTILINE)


def place_of_store() -> str:
    """The store of the program of a demo, as a `Server` takes it."""
    return f"sqlite:///{os.environ[STORE]}"


class ListeningProcess:
    """A process that says `serving at URL` on stdout once it answers, while its `with` lasts.

    Args:
        line: Its program and the words of that.
        folder: Where what it says is.
        variables: What its environment holds more than this process's own.
    Raises:
        DemoFailedError: It does not come up. The message holds the last that it said.
    """

    def __init__(self, line: Sequence[str], *, folder: Path, variables: Mapping[str, str] | None = None) -> None:
        self._line = list(line)
        self._said = folder / f"server-{len(list(folder.glob('server-*.log'))) + 1}.log"
        # A store that the user has named for another purpose is left alone, and no proxy stands before this machine.
        own = {name: value for name, value in os.environ.items() if name != VARIABLE}
        self._environment = own | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"} | dict(variables or {})
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                self._line, env=self._environment, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            self.url = self._address()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._running().pid

    @property
    def has_ended(self) -> bool:
        """Whether the process is over."""
        return self._running().poll() is not None

    @property
    def last_words(self) -> str:
        """The last line that it said."""
        lines = self._said.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")

    def kill(self) -> None:
        """End it as `kill -9` does: nothing is flushed, nothing is told. Over is over: again changes nothing."""
        process = self._running()
        process.kill()
        process.wait()

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "a server process is used inside its block"
        return self._process

    def _address(self) -> str:
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s:
            has_ended = self.has_ended
            found = _SERVING.search(self._said.read_text(encoding="utf-8", errors="replace"))
            if found is not None:
                return found[1]
            if has_ended:
                raise DemoFailedError(f"a server did not come up: {self.last_words}")
            time.sleep(LOOK_S)
        raise DemoFailedError(f"a server did not come up within {START_S:g} s: {self.last_words}")


class ServerProcess(ListeningProcess):
    """One process of `treadle serve`, while its `with` lasts.

    Args:
        served: What it serves, `MODULE:NAME`: a `Server` with the store of `place_of_store`.
        folder: Where the file of its store is, and what it says.
        variables: What its environment holds more than this process's own.
    Raises:
        DemoFailedError: It does not come up. The message holds the last that it said.
    """

    def __init__(self, served: str, *, folder: Path, variables: Mapping[str, str] | None = None) -> None:
        self.db = folder / "runs.db"
        line = [sys.executable, "-m", "treadle", "serve", served, "--port", "0"]
        super().__init__(line, folder=folder, variables={STORE: str(self.db)} | dict(variables or {}))
