"""What the local model needs of a machine, and how a machine without it is told."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.repo.rules.tree import ROOT
from treadle.adapters.models.local import presence
from treadle.errors import ModelMissingError

OLD = "processor\t: 0\nflags\t\t: fpu sse4_2 avx f16c\n\nprocessor\t: 1\nflags\t\t: fpu avx avx2 fma f16c\n"
NEW = "processor\t: 0\nflags\t\t: fpu avx avx2 fma f16c\n"


def test_the_install_command_is_for_this_very_python_and_takes_no_dependencies() -> None:
    """Ours: copied and run as it stands, it mends what is missing."""
    command = shlex.split(presence.install_command())
    assert command == [sys.executable, "-m", "pip", "install", "--no-deps", *presence.REQUIREMENTS]


def test_the_command_installs_what_the_lock_pins() -> None:
    """Ours: a user gets the releases that were tested."""
    lock = (ROOT / "requirements" / "local.txt").read_text(encoding="utf-8")
    assert all(f"{requirement} " in lock for requirement in presence.REQUIREMENTS)


@pytest.mark.parametrize(
    ("cpu_info", "missing"), [(NEW, ()), (OLD, ("avx2", "fma")), ("", ()), ("model name\t: something else\n", ())]
)
def test_a_processor_must_have_every_flag_on_every_core(cpu_info: str, missing: tuple[str, ...]) -> None:
    """Measured: the engine crashes on a processor without them. Where no flags are told, nobody can tell."""
    assert presence.missing_flags(cpu_info) == missing


def test_a_missing_package_is_told_in_one_line_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: one error line with the exact install command."""
    monkeypatch.setattr(presence, "ENGINE", "no_such_engine")
    with pytest.raises(ModelMissingError) as raised:
        presence.checked_weights(None)
    assert str(raised.value) == f"install the local model with: {presence.install_command()}"
    assert presence.missing_packages()[0] == presence.REQUIREMENTS[0]


def test_a_processor_that_is_too_old_is_told_before_the_engine_crashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured: there is no error to catch once the native code runs."""
    monkeypatch.setattr(presence, "missing_processor_flags", lambda: ("avx2", "fma"))
    with pytest.raises(ModelMissingError, match="a processor with avx2, fma, which this machine has not"):
        presence.checked_weights(None)


def test_a_file_with_other_bytes_is_not_the_weights(tmp_path: Path) -> None:
    """Ours: the engine reads the file in native code, so it is read only if it is known."""
    path = tmp_path / "weights.gguf"
    path.write_bytes(b"GGUF and what else")
    assert not presence.are_the_weights(path)


def test_a_package_whose_version_is_unknown_is_named_all_the_same() -> None:
    """Ours: a check never fails for want of metadata."""
    assert presence.installed("no-such-package==1") == "no-such-package of an unknown version"


@pytest.mark.real_model
def test_the_installed_weights_are_the_ones_this_was_made_for() -> None:
    """Ours: the digest stands in the code, and the file is compared with it."""
    weights = presence.packaged_weights()
    assert weights is not None
    assert presence.checked_weights(None) == weights
    assert presence.missing_packages() == ()


@pytest.mark.real_model
def test_packaged_weights_with_other_bytes_are_refused_with_the_way_to_mend_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Ours: a damaged download is told apart from a missing one."""
    path = tmp_path / "weights.gguf"
    path.write_bytes(b"cut short")
    monkeypatch.setattr(presence, "packaged_weights", lambda: path)
    with pytest.raises(ModelMissingError, match="--force-reinstall"):
        presence.checked_weights(None)


@pytest.mark.real_model
def test_weights_of_ones_own_are_taken_as_they_are(tmp_path: Path) -> None:
    """Ours: whoever names a file answers for it; it must be there."""
    path = tmp_path / "own.gguf"
    with pytest.raises(ModelMissingError, match="there are no weights at"):
        presence.checked_weights(path)
    path.write_bytes(b"own")
    assert presence.checked_weights(path) == path
