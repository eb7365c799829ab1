"""Pages that are built by Vite: from a copy, so that nothing is written into the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.examples.serving import EXAMPLES

NODE = shutil.which("node")
BUILD_S = 120


def installed(name: str) -> Path:
    """The packages of an example: its own, or those in the folder that a variable of its name says."""
    return Path(os.environ.get(f"TREADLE_{name.upper()}", EXAMPLES / name)) / "node_modules"


def can_build(name: str) -> bool:
    """Whether Node and the packages of an example are here."""
    return NODE is not None and (installed(name) / "vite").is_dir()


def built(name: str, folder: Path) -> Path:
    """The page of an example, built in a folder."""
    source = EXAMPLES / name
    for one in ("package.json", "index.html", "vite.config.js"):
        shutil.copy(source / one, folder)
    shutil.copytree(source / "src", folder / "src")
    (folder / "node_modules").symlink_to(installed(name).resolve(), target_is_directory=True)
    vite = [NODE or "node", str(installed(name) / "vite" / "bin" / "vite.js"), "build", "--logLevel", "error"]
    subprocess.run(vite, cwd=folder, check=True, capture_output=True, timeout=BUILD_S)
    return folder / "dist"
