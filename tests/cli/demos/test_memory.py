"""The memory of a process, as the system tells it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from treadle.cli.demos import memory
from treadle.cli.demos.outcome import DemoFailedError


def test_the_memory_of_this_process_is_told() -> None:
    """Ours: an interpreter takes some megabytes, and no machine of ours has a terabyte."""
    assert 2**20 < memory.resident_bytes(os.getpid()) < 2**40


def test_a_process_that_is_over_has_no_memory() -> None:
    """Ours: what cannot be found out is said, not taken for nothing."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with pytest.raises(DemoFailedError):
        memory.resident_bytes(process.pid)
