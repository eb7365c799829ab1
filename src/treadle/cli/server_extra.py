"""Parts of the command that need the extra `server`, and what is said where that is not installed."""

from __future__ import annotations

import importlib
import shlex
import sys
from typing import Any

from treadle.cli.exits import CommandMisuseError


def needing_server(module: str, *, doing: str) -> Any:  # noqa: ANN401 (a module that may not be there)
    """A module that needs the extra.

    Raises:
        CommandMisuseError: The extra is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        install = f"{shlex.quote(sys.executable)} -m pip install 'treadle[server]'"
        raise CommandMisuseError(f"{doing} needs the module {missing.name!r}; install: {install}") from None
