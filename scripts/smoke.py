"""The wheel in an environment that holds nothing else.

    python scripts/smoke.py dist/treadle-*.whl

Installs the wheel with its locked core dependencies alone and holds it to what is promised of that: its size, what
`import treadle` brings in, a scripted run through the library, and what the command says without its extra. Then the
extras come, and the command answers. Everything happens in a temporary folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE_BYTES = 15_000_000
IMPORT_RATIO = 2.5

IMPORT_ALONE = """
import sys
before = set(sys.modules)
import treadle
brought = set(sys.modules) - before
foreign = {name for name in brought if name.split(".")[0] not in sys.stdlib_module_names}
foreign -= {"treadle", "treadle._version"}
raise SystemExit(f"import treadle brings in {sorted(foreign)}" if foreign else 0)
"""

SAID = "hello from a script"
SCRIPT = f"text: {SAID}\n"

SCRIPTED_RUN = f"""
from treadle import Agent

result = Agent(name="echo", model="scripted:hello.script").run_sync("hello?")
assert result.outcome == "done", result
assert result.text == {SAID!r}, result
"""


def main(wheel: Path) -> None:
    """Run every check, the first failure ends it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        python = _environment(home / "core", lock="core", wheel=wheel)
        _check_size(home / "core")
        _run([python, "-I", "-c", IMPORT_ALONE])
        _check_import_time(python)
        _check_scripted_run(python, home)
        _check_command_without_extra(home / "core")
        _environment(home / "full", lock="runtime", wheel=wheel)
        _check_command(home / "full", home)
    print("smoke: the wheel works")


def _environment(folder: Path, *, lock: str, wheel: Path) -> Path:
    _run([sys.executable, "-m", "venv", "--without-pip", folder])
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet"]
    _run([*pip, "--require-hashes", "-r", ROOT / "requirements" / f"{lock}.txt"])
    _run([*pip, "--no-deps", wheel])
    return folder / "bin" / "python"


def _check_size(environment: Path) -> None:
    packages = [path for path in environment.rglob("*") if path.is_file() and not path.is_symlink()]
    size_bytes = sum(path.stat().st_size for path in packages if "__pycache__" not in path.parts)
    print(f"smoke: the core install takes {size_bytes / 1e6:.1f} MB, {CORE_BYTES / 1e6:.0f} MB are promised")
    if size_bytes > CORE_BYTES:
        raise SystemExit("smoke: the core install is too large")


def _check_import_time(python: Path) -> None:
    ratio = float(_run([python, "-I", ROOT / "scripts" / "import_ratio.py"]).stdout)
    print(f"smoke: `import treadle` takes {ratio:.2f} of the yardstick, {IMPORT_RATIO} are promised")
    if ratio > IMPORT_RATIO:
        raise SystemExit("smoke: the import is too slow")


def _check_scripted_run(python: Path, home: Path) -> None:
    (home / "hello.script").write_text(SCRIPT, encoding="utf-8")
    _run([python, "-I", "-c", SCRIPTED_RUN], cwd=home)


def _check_command_without_extra(environment: Path) -> None:
    done = _run([environment / "bin" / "treadle", "doctor"], may_fail=True)
    if done.returncode != 2 or "treadle[cli]" not in done.stderr:
        raise SystemExit(
            f"smoke: without its extra the command says {done.stderr!r} and exits {done.returncode}, not 2"
        )


def _check_command(environment: Path, home: Path) -> None:
    command = environment / "bin" / "treadle"
    _run([command, "--version"])
    told = _run([command, "run", "--model", "scripted:hello.script", "hello?"], cwd=home).stdout
    if not told.startswith(SAID):
        raise SystemExit(f"smoke: the command says {told!r}, not {SAID!r}")
    # The model `local` is not there, so the doctor may find fault; it may not fall over.
    doctor = _run([command, "doctor"], cwd=home, may_fail=True)
    if "Traceback" in doctor.stderr or not doctor.stdout.strip():
        raise SystemExit(f"smoke: treadle doctor fell over\n{doctor.stdout}{doctor.stderr}")


def _run(
    command: Sequence[str | Path], *, cwd: Path | None = None, may_fail: bool = False
) -> subprocess.CompletedProcess[str]:
    # What this machine sets for Python would let the environment see more than the wheel.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not may_fail:
        raise SystemExit(f"smoke: {' '.join(map(str, command))[:200]}\n{done.stdout}{done.stderr}")
    return done


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]).resolve())
