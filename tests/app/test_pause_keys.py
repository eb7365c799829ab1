"""Where the keys of pause tokens come from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from treadle.app.pause_keys import BEFORE, VARIABLE, PauseKeys, key_path
from treadle.errors import PlanError

LONG, LONGER = "0123456789abcdef" * 2, "fedcba98" * 5


@pytest.mark.requirement("PAUSE-secret")
def test_the_environment_says_the_secret_and_the_one_before() -> None:
    """Design: TREADLE_SECRET, and two keys for rotation."""
    keys = PauseKeys("memory://", {VARIABLE: LONG, BEFORE: LONGER}).keys
    assert (keys.now, keys.before) == (LONG.encode(), LONGER.encode())
    assert PauseKeys("memory://", {VARIABLE: LONG, BEFORE: ""}).keys.before is None


@pytest.mark.requirement("PAUSE-secret")
@pytest.mark.parametrize(
    "environment",
    [
        {VARIABLE: "short"},
        {VARIABLE: LONG, BEFORE: "short"},
        {BEFORE: LONG},
        {VARIABLE: " " * 40},
        {VARIABLE: "s" * 40},
        {VARIABLE: "ab" * 20},
        {VARIABLE: f"abcdef{' ' * 40}"},
        {VARIABLE: LONG, BEFORE: "\t" * 40},
    ],
    ids=str,
)
def test_a_secret_that_is_none_is_refused_before_anything_is_served(environment: dict[str, str]) -> None:
    """Reference D14: refuse to start, rather than to sign with what anybody could know. The secret is not repeated."""
    with pytest.raises(PlanError, match=VARIABLE) as refused:
        PauseKeys("memory://", environment)
    assert all(value not in str(refused.value) for value in environment.values())


@pytest.mark.requirement("PAUSE-secret")
def test_a_store_in_a_file_has_a_key_of_its_own(tmp_path: Path) -> None:
    """Design: a generated key file of mode 0600 beside the database, the same for every process."""
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    keys = PauseKeys(store, {})
    path = key_path(tmp_path / "runs.db")
    assert not path.exists()  # nobody has needed it
    made = keys.keys
    assert PauseKeys(store, {}).keys == made
    assert len(made.now) == 32
    assert PauseKeys(f"sqlite:///{tmp_path / 'other.db'}", {}).keys != made
    assert sorted(one.name for one in tmp_path.iterdir()) == ["other.db.key", "runs.db.key"]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("PAUSE-secret")
@pytest.mark.skipif(os.name != "posix", reason="platform: modes of files are of POSIX systems")
def test_a_key_that_others_can_read_is_none(tmp_path: Path) -> None:
    """Ours: what anybody can read is no secret."""
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    _ = PauseKeys(store, {}).keys
    key_path(tmp_path / "runs.db").chmod(0o640)
    with pytest.raises(PlanError, match="chmod 600"):
        PauseKeys(store, {})
    assert PauseKeys(store, {VARIABLE: LONG}).keys.now == LONG.encode()  # where it is of no use, nobody needs it


@pytest.mark.requirement("PAUSE-secret")
@pytest.mark.parametrize("text", ["", "no key", "ab" * 8, "00" * 32])
def test_a_damaged_key_file_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    """Ours: another key in its place would make every token that is out a forgery."""
    path = key_path(tmp_path / "runs.db")
    path.touch(mode=0o600)
    path.write_text(text)
    with pytest.raises(PlanError, match=r"runs\.db\.key"):
        PauseKeys(f"sqlite:///{tmp_path / 'runs.db'}", {})
    assert path.read_text() == text


@pytest.mark.requirement("PAUSE-secret")
@pytest.mark.parametrize("kind", ["a folder", "a link to nothing"])
def test_what_lies_in_the_place_of_a_key_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    """Ours: not when the first token is needed, in the middle of somebody's run."""
    path = key_path(tmp_path / "runs.db")
    if kind == "a folder":
        path.mkdir(mode=0o700)
    else:
        path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(PlanError, match=r"runs\.db\.key"):
        PauseKeys(f"sqlite:///{tmp_path / 'runs.db'}", {})


def test_where_no_key_can_be_made_it_is_said(tmp_path: Path) -> None:
    """Ours: which file, and what to do instead."""
    with pytest.raises(PlanError, match=VARIABLE):
        _ = PauseKeys(f"sqlite:///{tmp_path / 'nowhere' / 'runs.db'}", {}).keys


@pytest.mark.requirement("PAUSE-secret")
def test_what_is_kept_in_memory_has_a_key_that_ends_with_its_runner() -> None:
    """Design: no default secret anywhere."""
    assert PauseKeys("memory://", {}).keys != PauseKeys("memory://", {}).keys
    assert PauseKeys(object(), {}).keys != PauseKeys(object(), {}).keys


def test_keys_that_were_there_are_known_and_none_are_made(tmp_path: Path) -> None:
    """Ours: whoever only looks makes no file."""
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    assert PauseKeys(store, {}).known is None
    assert list(tmp_path.iterdir()) == []
    made = PauseKeys(store, {}).keys
    assert PauseKeys(store, {}).known == made
    assert PauseKeys(None, {}).known is None
