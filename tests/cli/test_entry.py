"""The console script on machines where the command cannot run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from treadle.cli import entry

WITHOUT_EXTRA = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"typer", "rich"}:
            raise ModuleNotFoundError(f"no module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
sys.argv = ["treadle", "--version"]
from treadle.cli.entry import main
sys.exit(main())
"""


def test_an_old_python_is_told_which_one_is_needed() -> None:
    """docs/cli.md: one line, no traceback."""
    assert entry.old_python((3, 11)) == ""
    assert entry.old_python((3, 9)) == f"treadle: needs Python 3.11 or newer, and {sys.executable} is 3.9"


def test_a_missing_extra_is_named_with_the_exact_command_that_installs_it() -> None:
    """docs/cli.md: without the extra the command prints the install line."""
    assert entry.missing_extra(("sys",)) == ""
    line = entry.missing_extra(("sys", "no_such_part", "nor_this"))
    assert line.startswith("treadle: the command line needs no_such_part and nor_this; install: ")
    assert line.endswith(" -m pip install 'treadle[cli]'")


@pytest.mark.slow
@pytest.mark.requirement("CLI-11")
def test_without_the_extra_the_command_prints_one_line_and_is_misused() -> None:
    """docs/cli.md: the install line on stderr, nothing on stdout, exit 2."""
    ran = subprocess.run([sys.executable, "-c", WITHOUT_EXTRA], capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.splitlines() == [entry.missing_extra(("typer", "rich")) or ran.stderr.strip()]
    assert "-m pip install 'treadle[cli]'" in ran.stderr


@pytest.mark.slow
def test_the_console_script_needs_only_the_standard_library() -> None:
    """docs/cli.md: whoever lacks the extras can still be told so."""
    probe = "import treadle.cli.entry, sys; print(sorted({'typer', 'rich', 'msgspec', 'pydantic'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=30, check=True)
    assert ran.stdout == "[]\n"
