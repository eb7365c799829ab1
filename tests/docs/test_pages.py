"""The programs in README.md, docs/ and examples/ run, and print what their page says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import Program, programs

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(__file__).parent / "scripts"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAMS = [
    pytest.param(program, id=f"{page.relative_to(ROOT)}:{program.line}")
    for page in PAGES
    for program in programs(page.read_text(encoding="utf-8"))
]


def run(program: Program, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of a page in a folder with its files; what it warns of counts as a failure."""
    for script in SCRIPTS.glob("*"):
        (folder / script.name).write_bytes(script.read_bytes())
    for name, text in program.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "program.py").write_text(program.text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-W", "error", "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=50,
    )


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_docs_runs_and_prints_what_its_page_says(program: Program, tmp_path: Path) -> None:
    """Ours: a reader copies what is written."""
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    if program.output is not None:
        assert done.stdout.rstrip("\n") == program.output.rstrip("\n")


def test_the_readme_shows_one_program_of_twenty_lines() -> None:
    """Ours: what it is like to use is seen at a glance."""
    (program,) = programs((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len([line for line in program.text.splitlines() if line.strip()]) <= 20
    assert program.output is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "```python\nraise SystemExit(1)\n```\n",
        "```python\nimport warnings\nwarnings.warn('old')\n```\n",
    ],
)
def test_a_program_that_fails_or_warns_is_found(page: str, tmp_path: Path) -> None:
    """Ours: the rule can fail."""
    (program,) = programs(page)
    assert run(program, tmp_path).returncode != 0


@pytest.mark.slow
def test_files_models_and_output_are_read_from_the_page(tmp_path: Path) -> None:
    """Ours: a page is a program with its files and its output."""
    page = (
        "<!-- file: a.txt -->\n```\nhello\n```\n"
        "<!-- not run: needs a key -->\n```python\nimport nothing\n```\n"
        '<!-- model: scripted:a.txt -->\n```python\nmodel="local"\nprint(open("a.txt").read() + model)\n```\n'
        "<!-- output -->\n```\nhello\nscripted:a.txt\n```\n"
    )
    (program,) = programs(page)
    assert run(program, tmp_path).stdout.replace("\n\n", "\n") == program.output


@pytest.mark.parametrize("page", ["<!-- output -->\n```\na\n```\n", "<!-- not run:  -->\n```python\na\n```\n"])
def test_a_fence_that_says_nothing_is_refused(page: str) -> None:
    """Ours: an output belongs to a program, and what is not run has a reason."""
    with pytest.raises(ValueError, match="line"):
        programs(page)
