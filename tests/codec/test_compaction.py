"""Stretches that become one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from treadle.codec.compaction import compacted, continues
from treadle.errors import MisuseError
from treadle.values.ids import CallId
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.stretches import SpeechStretch

FIRST = SpeechStretch(seq=4, index=2, kind="text", key=1, texts=("It", " is"), at_s=1.5, epoch=1)
NEXT = SpeechStretch(seq=6, index=4, kind="text", key=1, texts=(" 3.",), at_s=2.5, epoch=1)


@pytest.mark.requirement("REC-compact")
def test_stretches_of_one_passage_become_one() -> None:
    """Design: one row a passage at rest; it stands where and when the first stood."""
    assert compacted([FIRST, NEXT]) == replace(FIRST, texts=("It", " is", " 3."))
    assert compacted([FIRST]) == FIRST


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 7},
        {"index": 5},
        {"seq": 5, "index": 3},
        {"key": 2},
        {"kind": THINKING},
        {"kind": ARGUMENTS, "key": CallId("r1.c1")},
        {"epoch": 2},
    ],
    ids=str,
)
@pytest.mark.requirement("REC-compact")
def test_what_does_not_follow_is_not_joined(change: dict[str, Any]) -> None:
    """Ours: a record between, another passage, or another epoch that a cursor would name wrongly."""
    other = replace(NEXT, **change)
    assert continues(FIRST, NEXT)
    assert not continues(FIRST, other)
    with pytest.raises(MisuseError, match="does not continue"):
        compacted([FIRST, other])


def test_nothing_is_not_joined() -> None:
    """Ours: there is no empty speech."""
    with pytest.raises(MisuseError, match="came none"):
        compacted([])
