"""The kit of official clients, installed when it is first needed into a folder of the user's.

In: what the chosen clients need. Out: the command line of each. The scripts are those of the project; what they drive
is installed by npm and by pip, at the releases that the kit pins. Each set of pins has a folder of its own, and what
was installed whole is not installed again.

Source: docs/cli.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from treadle.cli.conformance.cells import Client, Control, Needs
from treadle.cli.exits import CommandMisuseError

OLDEST_NODE: Final = 20
INSTALL_S: Final = 600
PACKAGES: Final = "package.json"
REQUIREMENTS: Final = "requirements.txt"
_HOMES: Final = (
    Path(__file__).with_name("clients"),  # an installed package
    Path(__file__).resolve().parents[4] / "conformance",  # a checkout
)
_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)$", re.MULTILINE)
_SAID_CHARS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The scripts, and what runs them. What nobody needs may be missing."""

    scripts: Path
    node: str = "node"
    python: str = sys.executable

    def control_line(self, control: Control) -> list[str]:
        """How a control is served."""
        return [self.python, str(self.scripts / control.script)]

    def line(self, client: Client) -> list[str]:
        """How the script of a client is run, without its own words."""
        script = str(self.scripts / client.script)
        match client.needs:
            case Needs.NODE:
                return [self.node, script]
            case Needs.PYTHON:
                return [self.python, script]
            case Needs.NOTHING:
                return [sys.executable, script]


def source() -> Path:
    """The folder with the scripts and the pins.

    Raises:
        CommandMisuseError: It is not there.
    """
    home = next((home for home in _HOMES if (home / PACKAGES).is_file()), None)
    if home is None:
        raise CommandMisuseError("the scripts of the clients are missing from this installation; install treadle anew")
    return home


def pins(home: Path) -> Mapping[str, str]:
    """The release of each package that the kit pins, by the package's name."""
    javascript = json.loads((home / PACKAGES).read_text(encoding="utf-8"))["dependencies"]
    return {**javascript, **dict(_PIN.findall((home / REQUIREMENTS).read_text(encoding="utf-8")))}


def cache_folder(variables: Mapping[str, str]) -> Path:
    """Where what is installed is kept, if nothing else is said."""
    base = variables.get("XDG_CACHE_HOME") or variables.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "treadle"


def is_installed(cache: Path) -> bool:
    """Whether all clients are there, so that nothing has to be fetched."""
    folder = _folder(source(), cache)
    return shutil.which("node") is not None and (folder / "node_modules").is_dir() and _environment(folder).is_dir()


def installed(needs: Collection[Needs], *, cache: Path, say: Callable[[str], None]) -> Kit:
    """The kit, with all that is needed.

    Args:
        say: Is told what takes a while.
    Raises:
        CommandMisuseError: Something is missing on this machine, or cannot be fetched. The message says what to do.
    """
    home = source()
    node = _node() if Needs.NODE in needs else "node"
    folder = _folder(home, cache)
    try:
        scripts = _copied(home, folder)
        if Needs.NODE in needs and not (folder / "node_modules").is_dir():
            say("installing the official JavaScript clients with npm, once")
            _built(folder / "node_modules", lambda made: _npm_install(home, made))
        python = _environment(folder)
        if Needs.PYTHON in needs and not python.is_dir():
            say("installing the official Python clients with pip, once")
            _built(python, lambda made: _pip_install(home, made))
    except OSError as error:
        raise CommandMisuseError(f"{str(cache)!r} cannot hold the clients: {error}; --cache names another") from None
    return Kit(scripts=scripts, node=node, python=str(_python_in(python)))


def _folder(home: Path, cache: Path) -> Path:
    """Where clients of these pins are kept."""
    facts = b"".join((home / name).read_bytes() for name in (PACKAGES, REQUIREMENTS))
    return cache / f"conformance-{hashlib.sha256(facts).hexdigest()[:12]}"


def _environment(folder: Path) -> Path:
    """The virtual environment of the clients for this Python."""
    return folder / f"python{sys.version_info[0]}{sys.version_info[1]}"


def _copied(home: Path, folder: Path) -> Path:
    """The scripts below what they import: node looks for packages above a script's own folder alone."""
    scripts = {path.name: path.read_bytes() for path in sorted(home.iterdir()) if path.suffix in {".py", ".mjs"}}
    digest = hashlib.sha256(repr(sorted(scripts.items())).encode()).hexdigest()[:12]
    place = folder / f"scripts-{digest}"

    def build(made: Path) -> Path:
        whole = made / "scripts"
        whole.mkdir()
        for name, content in scripts.items():
            (whole / name).write_bytes(content)
        return whole

    folder.mkdir(parents=True, exist_ok=True)
    if not place.is_dir():
        _built(place, build)
    return place


def _built(place: Path, build: Callable[[Path], Path]) -> None:
    """What `build` makes, at its place once it is whole. Whoever else made it meanwhile made the same."""
    with tempfile.TemporaryDirectory(dir=place.parent, prefix="new-", ignore_cleanup_errors=True) as made:
        whole = build(Path(made))
        if not place.is_dir():
            whole.rename(place)


def _npm_install(home: Path, made: Path) -> Path:
    shutil.copy(home / PACKAGES, made)
    npm = shutil.which("npm") or "npm"
    _run([npm, "install", "--no-package-lock", "--no-audit", "--no-fund"], made, fix="npm needs a network, or a mirror")
    return made / "node_modules"


def _pip_install(home: Path, made: Path) -> Path:
    place = made / "python"
    fix = "Python needs its module venv (Debian, Ubuntu: apt install python3-venv)"
    _run([sys.executable, "-m", "venv", str(place)], made, fix=fix)
    pip = [str(_python_in(place)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "-r", str(home / REQUIREMENTS)], made, fix="pip needs a network, or an index that it can reach")
    return place


def _python_in(folder: Path) -> Path:
    windows = folder / "Scripts" / "python.exe"
    return windows if windows.is_file() else folder / "bin" / "python"


def _node() -> str:
    """Node.js, which is there and new enough.

    Raises:
        CommandMisuseError: It is not, or npm is missing.
    """
    how = "Debian, Ubuntu: apt install nodejs npm; macOS: brew install node"
    fix = f"install Node.js {OLDEST_NODE} or newer with npm ({how})"
    node = shutil.which("node")
    missing = [name for name, found in (("node", node), ("npm", shutil.which("npm"))) if found is None]
    if node is None or missing:
        raise CommandMisuseError(f"these clients need {' and '.join(missing)}: {fix}")
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False, timeout=INSTALL_S).stdout
    major = re.match(r"v(\d+)", said)
    if major is None or int(major[1]) < OLDEST_NODE:
        raise CommandMisuseError(f"{node!r} is {said.strip() or 'of an unknown release'}: {fix}")
    return node


def _run(line: Sequence[str], folder: Path, *, fix: str) -> None:
    """Run an installer to its end.

    Raises:
        CommandMisuseError: It failed. The message holds the last that it said.
    """
    try:
        ran = subprocess.run(
            line,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_S,
            env={**os.environ, "CI": "1"},
        )
    except subprocess.TimeoutExpired:
        raise CommandMisuseError(f"{' '.join(line[:4])} did not end within {INSTALL_S} s: {fix}") from None
    except OSError as error:
        raise CommandMisuseError(f"{line[0]} cannot be run: {error.strerror}: {fix}") from None
    if ran.returncode != 0:
        said = _reason(ran.stderr or ran.stdout)[:_SAID_CHARS]
        raise CommandMisuseError(f"{' '.join(line[:4])} failed: {fix}; it said: {said}")


def _reason(said: str) -> str:
    """The first line that speaks of an error, else the last: npm goes on about it at length."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "nothing")
