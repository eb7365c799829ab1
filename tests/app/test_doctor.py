"""The checks of a machine, as data."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.adapters.models.local import presence
from treadle.app import doctor
from treadle.app.doctor import Check, checks

SECRET = "sk-not-to-be-seen"


def by_name(found: tuple[Check, ...]) -> dict[str, Check]:
    """The checks under their names, each of which stands there once."""
    assert len({check.name for check in found}) == len(found)
    return {check.name: check for check in found}


def _without(*names: str) -> Callable[[str], object]:
    """A finder for which some packages are not installed."""
    real = importlib.util.find_spec
    return lambda name: None if name in names else real(name)


def test_every_check_says_one_line_and_every_failure_how_to_mend_it() -> None:
    """Docs, commands: the doctor names the fix of each failure."""
    for check in checks({}):
        assert "\n" not in check.says + (check.fix or "")
        assert check.says
        assert check.ok == (check.fix is None)


def test_a_failure_without_a_way_to_mend_it_cannot_be_made() -> None:
    """Ours: legal if it exists."""
    with pytest.raises(ValueError, match="must say how to mend it"):
        Check(name="x", ok=False, says="broken")


def test_a_key_is_never_told() -> None:
    """Docs, commands: whether there is a key, not which."""
    found = checks({"OPENAI_API_KEY": SECRET})
    assert by_name(found)["openai key"] == Check(name="openai key", ok=True, says="OPENAI_API_KEY is set")
    assert SECRET not in repr(found)
    assert not by_name(checks({}))["openai key"].ok


def test_missing_wheels_of_the_local_model_are_mended_by_its_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: the same command as in the error of a run."""
    monkeypatch.setattr(presence, "missing_packages", lambda: presence.REQUIREMENTS)
    found = by_name(checks({}))
    for name, requirement in zip(("local engine", "local weights"), presence.REQUIREMENTS, strict=True):
        assert found[name] == Check(name=name, ok=False, says=f"missing: {requirement}", fix=presence.install_command())


def test_other_weights_than_the_known_ones_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ours: a damaged download is told apart from a missing one."""
    path = tmp_path / "weights.gguf"
    path.write_bytes(b"cut short")
    monkeypatch.setattr(presence, "missing_packages", lambda: ())
    monkeypatch.setattr(presence, "packaged_weights", lambda: path)
    weights = by_name(checks({}))["local weights"]
    assert (weights.ok, weights.fix) == (False, presence.reinstall_command())


def test_an_old_processor_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: the engine would crash, so it is said before."""
    monkeypatch.setattr(presence, "missing_processor_flags", lambda: ("avx2",))
    processor = by_name(checks({}))["local processor"]
    assert not processor.ok
    assert processor.says.endswith("missing: avx2")


def test_without_any_model_nothing_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Docs, commands: what is essential decides the exit code; one usable model is enough."""
    monkeypatch.setattr(presence, "missing_packages", lambda: presence.REQUIREMENTS)
    monkeypatch.setattr(doctor.importlib.util, "find_spec", _without("openai"))
    found = by_name(checks({}))
    assert [check.name for check in found.values() if check.essential and not check.ok] == ["a model to ask"]
    assert found["openai"].says == "missing: openai, for models behind an OpenAI-compatible server"
    assert found["openai"].fix is not None
    assert found["openai"].fix.endswith("-m pip install 'treadle[openai]'")
    monkeypatch.undo()


def test_a_served_model_is_enough_to_work_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: whoever asks a server needs no weights here."""
    monkeypatch.setattr(presence, "missing_packages", lambda: presence.REQUIREMENTS)
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda _name: object())
    assert by_name(checks({}))["a model to ask"] == Check(
        name="a model to ask", ok=True, says="openai-chat:NAME", essential=True
    )


@pytest.mark.real_model
def test_where_the_wheels_are_installed_the_local_model_is_fine() -> None:
    """Ours: the checks agree with the model."""
    found = by_name(checks({}))
    assert all(found[name].ok for name in ("local processor", "local engine", "local weights", "a model to ask"))
    assert "local" in found["a model to ask"].says
