"""Where the official Python clients are, for tests that ask them: put there by hand or by `treadle conformance`.

TREADLE_CLIENTS_PYTHON names an interpreter that has them; without it, this one counts, and then the newest environment
that the command has made.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

SCRIPTS: Final = Path(__file__).parents[2] / "conformance"
LONGEST_S: Final = 600


@cache
def python_with(module: str) -> str | None:
    """An interpreter that has a module; None where there is none."""
    named = os.environ.get("TREADLE_CLIENTS_PYTHON")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "treadle"
    made = sorted(cache.glob("conformance-*/python*/bin/python"), key=_age, reverse=True)
    asked = [named] if named else [sys.executable, *map(str, made)]
    return next((one for one in asked if _has(one, module)), None)


def judged(script: str, python: str, lines: Iterable[object]) -> list[Any]:
    """What a script of the kit says of each line, in one process."""
    given = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run(
        [python, str(SCRIPTS / script)],
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_S,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def _has(python: str, module: str) -> bool:
    said = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", said], check=False, timeout=LONGEST_S).returncode == 0


def _age(path: Path) -> float:
    return path.stat().st_mtime
