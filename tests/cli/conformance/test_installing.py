"""The kit, installed by programs of the tests' own: no network is needed to know what is done."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.cli.conformance.kits import client, control
from treadle.cli.conformance import installing
from treadle.cli.conformance.cells import Needs
from treadle.cli.conformance.installing import cache_folder, installed, is_installed, pins, source
from treadle.cli.exits import CommandMisuseError

NODE = "#!/bin/sh\necho v20.1.0\n"
NPM = '#!/bin/sh\n[ -f package.json ] || exit 9\nmkdir node_modules && echo "$@" > node_modules/words\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kit with two scripts, and no programs on the path."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "package.json").write_text('{"dependencies": {"@ag-ui/client": "1.0.0"}}')
    (folder / "requirements.txt").write_text("# pinned\n")
    (folder / "one.py").write_text("print(1)\n")
    (folder / "one.mjs").write_text("console.log(1)\n")
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(installing, "_HOMES", (tmp_path / "nowhere", folder))
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path / "bin"), "/bin", "/usr/bin")))
    monkeypatch.setattr(
        installing.shutil, "which", lambda name: str(found) if (found := tmp_path / "bin" / name).exists() else None
    )
    return folder


def _program(folder: Path, name: str, text: str) -> None:
    path = folder / "bin" / name
    path.write_text(text)
    path.chmod(0o755)


def test_what_needs_nothing_is_run_by_this_python(home: Path, tmp_path: Path) -> None:
    """docs/cli.md: the plain wire needs neither npm nor a network."""
    said: list[str] = []
    kit = installed({Needs.NOTHING}, cache=tmp_path / "cache", say=said.append)
    program, script = kit.line(client())
    assert kit.control_line(control()) == [kit.python, str(kit.scripts / "other.py")]
    assert (program, Path(script).read_text(), said) == (sys.executable, "print(1)\n", [])
    (home / "one.py").write_text("print(2)\n")
    changed = installed({Needs.NOTHING}, cache=tmp_path / "cache", say=said.append)
    assert Path(changed.line(client())[1]).read_text() == "print(2)\n"
    assert Path(script).read_text() == "print(1)\n"


@pytest.mark.usefixtures("home")
def test_javascript_clients_are_installed_once_beside_the_scripts(tmp_path: Path) -> None:
    """docs/cli.md: on demand, at the pinned releases, without a lock file."""
    _program(tmp_path, "node", NODE)
    _program(tmp_path, "npm", NPM)
    said: list[str] = []
    kits = [installed({Needs.NODE}, cache=tmp_path / "cache", say=said.append) for _ in range(2)]
    assert kits[0] == kits[1]
    program, script = kits[0].line(client(script="one.mjs", needs=Needs.NODE))
    assert program == str(tmp_path / "bin" / "node")
    words = (Path(script).parents[1] / "node_modules" / "words").read_text().split()
    assert words == ["install", "--no-package-lock", "--no-audit", "--no-fund"]
    assert said == ["installing the official JavaScript clients with npm, once"]


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_python_clients_are_installed_once_into_an_environment_of_their_own(tmp_path: Path) -> None:
    """docs/cli.md: a virtual environment in the cache."""
    said: list[str] = []
    _program(tmp_path, "node", NODE)
    _program(tmp_path, "npm", NPM)
    assert not is_installed(tmp_path / "cache")
    installed({Needs.NODE}, cache=tmp_path / "cache", say=lambda _: None)
    assert not is_installed(tmp_path / "cache")
    for _ in range(2):
        kit = installed({Needs.PYTHON}, cache=tmp_path / "cache", say=said.append)
        program = kit.line(client(needs=Needs.PYTHON))[0]
        assert Path(program).is_file()
        assert Path(program).is_relative_to(tmp_path / "cache")
    assert said == ["installing the official Python clients with pip, once"]
    assert is_installed(tmp_path / "cache")


@pytest.mark.requirement("CONF-command")
@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ({}, "need node and npm: install Node.js 20"),
        ({"node": NODE}, "need npm: install Node.js 20"),
        ({"node": "#!/bin/sh\necho v18.0.0\n", "npm": NPM}, "is v18.0.0: install Node.js 20"),
        ({"node": "#!/bin/sh\n", "npm": NPM}, "is of an unknown release"),
        (
            {"node": NODE, "npm": "#!/bin/sh\necho no network >&2\nexit 1\n"},
            "needs a network, or a mirror; .*no network",
        ),
        ({"node": NODE, "npm": "#!/bin/sh\nexit 1\n"}, "it said: nothing"),
        (
            {"node": NODE, "npm": "#!/bin/sh\necho warn; echo npm error code E5; echo more; exit 1\n"},
            "it said: npm error code E5$",
        ),
        ({"node": NODE, "npm": "#!/nowhere/sh\n"}, "npm cannot be run"),
    ],
)
def test_what_is_missing_here_is_told_with_what_to_do(tmp_path: Path, programs: dict[str, str], said: str) -> None:
    """docs/cli.md: exit code 2, and what to install. What failed half is not taken for whole the next time."""
    for name, text in programs.items():
        _program(tmp_path, name, text)
    with pytest.raises(CommandMisuseError, match=said):
        installed({Needs.NODE}, cache=tmp_path / "cache", say=lambda _: None)
    _program(tmp_path, "node", NODE)
    _program(tmp_path, "npm", NPM)
    installed({Needs.NODE}, cache=tmp_path / "cache", say=lambda _: None)


def test_a_cache_that_is_no_folder_is_told(home: Path) -> None:
    """Ours: a mistyped path is a misuse, not a traceback."""
    with pytest.raises(CommandMisuseError, match="--cache names another"):
        installed({Needs.NOTHING}, cache=home / "one.py", say=lambda _: None)


def test_an_installer_that_hangs_is_ended(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: every wait on the outside has a bound."""
    assert home.is_dir()
    _program(tmp_path, "node", NODE)
    _program(tmp_path, "npm", "#!/bin/sh\nread forever < /dev/zero\n")
    real, told = installing.subprocess.run, []

    def run(line: list[str], **more: object) -> object:
        told.append(more["timeout"])
        return real(line, **(more | ({} if "--version" in line else {"timeout": 0.05})))  # type: ignore[call-overload] # whatever it was given

    monkeypatch.setattr(installing.subprocess, "run", run)
    with pytest.raises(CommandMisuseError, match="did not end within"):
        installed({Needs.NODE}, cache=tmp_path / "cache", say=lambda _: None)
    assert told == [installing.INSTALL_S] * 2


def test_a_kit_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: an installation may be broken."""
    monkeypatch.setattr(installing, "_HOMES", ())
    with pytest.raises(CommandMisuseError, match="missing from this installation"):
        source()


def test_the_kit_of_this_project_pins_every_package() -> None:
    """conformance/README.md: official clients at one release each."""
    found = pins(source())
    assert {"@ag-ui/client", "ai", "@a2a-js/sdk", "a2a-sdk", "openai", "mcp"} <= set(found)
    assert all(release[0].isdigit() for release in found.values())
    assert json.loads((source() / "package.json").read_text())["private"] is True


def test_the_cache_is_where_a_user_keeps_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """docs/cli.md: a folder of the user's."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder({}) == tmp_path / ".cache" / "treadle"
    assert cache_folder({"XDG_CACHE_HOME": "/x"}) == Path("/x/treadle")
    assert cache_folder({"LOCALAPPDATA": "/y"}) == Path("/y/treadle")
