"""The demonstration of a cut provider, and how it finds that its promise is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.demos.showing import shown
from treadle.cli.demos.cut_provider import MODEL, PARTIAL
from treadle.cli.demos.truncate import FIRST, NEXT, truncate
from treadle.testing.faults import Done, Finish, Scenario, done, say, stream

pytestmark = [pytest.mark.requirement("DEMO-truncate"), pytest.mark.slow]


def test_what_was_shown_of_a_cut_answer_is_kept_and_told_to_the_next_turn(tmp_path: Path) -> None:
    """docs/demos.md: an error for the reader, the part in the store, the part in the next request."""
    found = shown(truncate, tmp_path)
    assert found.broken == []
    assert found.last["next_request"] == [
        {"role": "user", "content": FIRST},
        {"role": "assistant", "content": PARTIAL},
        {"role": "user", "content": NEXT},
    ]
    assert (found.last["ending"], found.last["state"], found.last["stored"]) == ("error", "error", PARTIAL)


def test_an_answer_that_is_not_shown_as_cut_is_found_out(tmp_path: Path) -> None:
    """docs/demos.md: an end that reads as done is a broken promise, whatever the text."""
    whole = Scenario(
        name=MODEL,
        says="the answer ends well",
        turns=(stream(say(PARTIAL), Finish(reason="stop"), Done()),),
        expected=done(PARTIAL),
    )
    found = shown(truncate, tmp_path, scenario=whole)
    assert found.last["ending"] == "done"
    assert any("was to end 'error'" in said for said in found.broken)


def test_a_next_turn_that_knows_nothing_of_the_cut_is_found_out(tmp_path: Path) -> None:
    """docs/demos.md: the next request must hold what was shown."""
    found = shown(truncate, tmp_path, served="forgets_the_thread")
    assert [said for said in found.broken if "does not hold" in said] == found.broken != []
