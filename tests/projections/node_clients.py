"""Where the official JavaScript clients are, for tests that ask them: put there by hand or by `treadle conformance`.

TREADLE_CLIENTS names a folder with their node_modules; without it, the newest that the command has installed counts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

SCRIPTS: Final = Path(__file__).parents[2] / "conformance"
LONGEST_S: Final = 600


def folder_with(package: str) -> Path | None:
    """The folder whose node_modules hold a package; None where there is none, or no node to run it."""
    named = os.environ.get("TREADLE_CLIENTS")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "treadle"
    found = [Path(named)] if named else sorted(cache.glob("conformance-*"), key=_age)
    usable = [one for one in found if (one / "node_modules" / package / "package.json").is_file()]
    return usable[-1] if usable and shutil.which("node") else None


def judged(script: str, folder: Path, lines: Iterable[object]) -> list[Any]:
    """What a script of the kit says of each line, in one process."""
    given = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run(
        ["node", str(SCRIPTS / script), str(folder)],
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_S,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def _age(folder: Path) -> float:
    return folder.stat().st_mtime
