"""Every module under src/treadle has its mirrored test file."""

from __future__ import annotations

from tests.repo.rules import mirror
from tests.repo.rules.tree import ROOT, SRC


def test_every_module_has_its_own_test_file() -> None:
    """Ours: `text/close_state.py` is tested by `tests/text/test_close_state.py`, found without searching."""
    assert "\n".join(mirror.untested_modules(SRC, ROOT / "tests")) == ""


def test_no_exception_from_the_mirror_outlives_its_reason() -> None:
    """Ours: an exception goes when its reason is gone."""
    assert mirror.stale_exceptions(SRC, ROOT / "tests") == []
