"""Which machines the wheels of requirements/local.txt exist for."""

from __future__ import annotations

import platform
import sys

LOCAL_WHEELS = {
    ("linux", "x86_64"),
    ("linux", "aarch64"),
    ("darwin", "arm64"),
    ("win32", "AMD64"),
}


def has_local_wheels() -> bool:
    """Tell whether the model `local` can be installed here. Its engine is linked against glibc on Linux."""
    if (sys.platform, platform.machine()) not in LOCAL_WHEELS:
        return False
    return sys.platform != "linux" or platform.libc_ver()[0] == "glibc"
