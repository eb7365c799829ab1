"""How much memory another process holds, as the system tells it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from treadle.cli.demos.outcome import DemoFailedError


def resident_bytes(pid: int) -> int:
    """The memory of a process that is in use.

    Raises:
        DemoFailedError: Neither `/proc` nor `ps` tells it.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        told = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(told.split()[1]) * 1024
    except (OSError, StopIteration):
        return _asked(pid)


def _asked(pid: int) -> int:
    try:
        told = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
        return int(told.stdout) * 1024
    except (OSError, ValueError, subprocess.CalledProcessError) as failure:
        raise DemoFailedError(f"the memory of process {pid} cannot be found out: {failure}") from failure
