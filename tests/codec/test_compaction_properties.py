"""Compaction changes no event."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codec.stored_values import speech_stretches
from treadle.codec.compaction import compacted
from treadle.codec.records import RecordCodec
from treadle.values.ids import RunId
from treadle.values.stretches import SpeechStretch, events_of

RUN = RunId("r1")
CODEC = RecordCodec()


def in_appends(whole: SpeechStretch, sizes: list[int]) -> list[SpeechStretch]:
    """The stretches of these sizes that a passage was appended in, the rest in one."""
    places = [0, *(place for place in accumulate(sizes) if place < len(whole.texts)), len(whole.texts)]
    return [
        SpeechStretch(
            seq=whole.seq + start,
            index=whole.index + start,
            kind=whole.kind,
            key=whole.key,
            texts=whole.texts[start:end],
            at_s=whole.at_s + start,
            epoch=whole.epoch,
        )
        for start, end in pairwise(places)
    ]


@given(speech_stretches, st.lists(st.integers(1, 3), max_size=5), st.integers(-2, 8))
@pytest.mark.requirement("REC-compact")
def test_readers_do_not_notice_a_compaction(whole, sizes, skip):
    """Design: indexes stay; from any cursor the same events come, however the passage was appended."""
    parts = in_appends(whole, sizes)
    after = whole.index + skip
    joined = compacted(parts)
    assert joined == whole
    assert CODEC.dump_stretch(joined) == CODEC.dump_stretch(whole)
    before = [event for part in parts for event in events_of(part, RUN, after=after)]
    assert events_of(CODEC.load_stretch(CODEC.dump_stretch(joined)), RUN, after=after) == before
