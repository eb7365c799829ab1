"""The log of a live run, as stretches of one kind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treadle.runtime.kind_runs import ENTRIES, LOOK, KindRuns
from treadle.values import events as ev
from treadle.values.facts import RoundOpened
from treadle.values.ids import RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING

RUN = RunId("r1")
OPENED = RoundOpened(round=1, attempt=1)

# What a writer may do: speak in a stretch, begin another, write an event, keep a fact.
deeds = st.lists(st.sampled_from(["piece", TEXT, THINKING, ARGUMENTS, "event", "fact"]), max_size=30)


def empty(*, bounded: bool = False, limit: int = 1_000, first: int = 0) -> KindRuns:
    """A log in which nothing stands."""
    return KindRuns(lambda: 5.0, bounded=bounded, limit=limit, first=first)


def announced(runs: KindRuns) -> None:
    """Write an event."""
    runs.add(ev.ToolAnnounced, RUN, {"call_id": "c", "name": "t"})


def written(runs: KindRuns, told: list[str]) -> None:
    """Do what is told."""
    items: list[str] | None = None
    for deed in told:
        if deed == "event":
            announced(runs)
            items = None
        elif deed == "fact":
            runs.keep(OPENED)
            items = None
        elif deed != "piece":
            items = runs.begin(deed, 1)
        elif items is not None:
            items.append("x")


@given(deeds, st.integers(0, 9))
def test_every_event_has_the_next_index(told, first):
    """EV-1: dense, facts leave no hole, and a log may go on from another."""
    runs = empty(first=first)
    written(runs, told)
    indexes = []
    for run in runs.runs:
        if run.kind == ENTRIES:
            indexes += [entry.index for entry in run.items if entry is not OPENED]
        else:
            indexes += range(run.first, run.first + len(run.items))
    assert indexes == list(range(first, runs.next))


@given(deeds)
def test_a_stretch_tells_its_first_index_its_kind_and_its_time(told):
    """Ours: what a reader needs to make events of pieces."""
    runs = empty()
    written(runs, told)
    at = 0
    for run in runs.runs:
        assert (run.first, run.at_s) == (at, 5.0)
        at += len([item for item in run.items if item is not OPENED])


def test_entries_that_follow_each_other_stand_in_one_stretch():
    """Ours: a tool round writes eight entries and begins few stretches."""
    runs = empty()
    announced(runs)
    runs.keep(OPENED)
    announced(runs)
    assert [len(run.items) for run in runs.runs] == [3]
    runs.begin(TEXT, 1)
    announced(runs)
    assert [run.kind for run in runs.runs] == [ENTRIES, TEXT, ENTRIES]


def test_the_last_item_is_told():
    """Ours: a closing event is found without a search."""
    runs = empty()
    assert runs.last is None
    announced(runs)
    assert runs.last.name == "t"
    runs.begin(TEXT, 1).append("x")
    assert runs.last == "x"


@given(st.lists(st.tuples(st.sampled_from([TEXT, THINKING, ENTRIES]), st.text(max_size=5)), max_size=12))
def test_size_counts_the_bytes_of_speech_once(told):
    """D34: UTF-8 bytes of text, thinking and argument text; entries have no size."""
    runs, true = empty(), 0
    for kind, text in told:
        if kind == ENTRIES:
            announced(runs)
        else:
            runs.begin(kind, 1).append(text)
            true += len(text.encode())
        assert runs.measured() == true


@given(st.lists(st.tuples(st.booleans(), st.text(min_size=1, max_size=5)), max_size=12))
def test_size_counts_pieces_that_become_one_once(told):
    """D34, while an append is in flight: what is joined is neither lost nor counted twice."""
    runs, true = empty(), 0
    pieces = runs.begin(TEXT, 1)
    for settles, text in told:
        runs.coalesce()
        pieces.append(text)
        pieces.append("ä")
        true += len(text.encode()) + 2
        if settles:
            assert runs.measured() == true
        runs.settle()
    assert runs.measured() == true


@given(
    st.lists(
        st.sampled_from(["say", "say\u00e4", "hear", "ask", "coalesce", "settle", "measure", "begin"]), max_size=30
    )
)
def test_what_was_said_is_told_once_and_in_order(deeds):
    """Design, coalescing: whoever asks what was said learns all of it, whatever became one piece or was measured."""
    runs, said, told, true = empty(), "", "", 0
    pieces = runs.begin(TEXT, 0, is_asked=True)
    for number, deed in enumerate(deeds):
        if deed.startswith("say"):
            pieces.append(f"{deed}{number}")
            said += pieces[-1]
            true += len(pieces[-1].encode())
        elif deed == "hear":
            told += runs.unheard()
            pieces.append(f"heard{number}")
            runs.hear(pieces[-1])
            true += len(pieces[-1])
        elif deed == "ask":
            told += runs.unheard()
        elif deed == "coalesce":
            runs.coalesce()
        elif deed == "settle":
            runs.settle()
        elif deed == "measure":
            assert runs.measured() == true
        else:
            told += runs.unheard()
            pieces = runs.begin(TEXT, number, is_asked=True)
    assert told + runs.unheard() == said
    assert runs.unheard() == ""
    assert runs.measured() == true


@given(st.lists(st.lists(st.sampled_from(["a", "bc", ""]), max_size=4), min_size=1, max_size=4), st.integers(0, 4))
def test_pieces_that_wait_together_become_one(stretches, before):
    """Design, coalescing: nothing is lost, `next` counts what they become, and what comes after stays apart again."""
    runs = empty()
    runs.begin(TEXT, 0).extend(["x"] * before)
    runs.coalesce()
    for number, pieces in enumerate(stretches):
        if number:
            runs.begin(TEXT, number)
        for piece in pieces:
            runs.runs[-1].items.append(piece)
    told = runs.next
    runs.settle()
    items = [run.items for run in runs.runs[1:]]
    assert told == runs.next == sum(map(len, items))
    assert ["".join(one) for one in items] == ["x" * before + "".join(stretches[0]), *map("".join, stretches[1:])]
    assert len(items[0]) <= before + 1
    assert all(len(one) <= 1 for one in items[1:])
    runs.runs[-1].items.extend(["y", "z"])
    assert (runs.next, runs.left) == (told + 2, runs.limit - told - 2)


async def test_who_waits_is_woken_by_the_next_event():
    """Ours: facts are nobody's to see, so they wake nobody."""
    runs = empty()
    gone, waits = runs.more(), runs.more()
    gone.cancel()
    runs.keep(OPENED)
    assert not waits.done()
    announced(runs)
    assert waits.done()
    assert runs.waiters == []


async def test_waits_that_were_given_up_are_not_gathered():
    """Ours: a reader that looks every millisecond, at a model that is silent for an hour, costs one future."""
    runs = empty()
    for _ in range(100):
        runs.more().cancel()
    waits = runs.more()
    assert runs.waiters == [waits]


async def test_who_waits_is_woken_by_the_end():
    """Ours: a reader is told that nothing follows."""
    runs = empty()
    waits = runs.more()
    assert runs.is_waited
    runs.close()
    assert waits.done()
    assert not runs.is_waited
    assert runs.closed


async def test_the_writer_waits_at_its_limit_until_it_is_let_go():
    """Law 10: a run goes no further than its reader allows."""
    runs = empty(bounded=True, limit=1)
    assert runs.room() is None
    announced(runs)
    room = runs.room()
    assert room is not None
    assert runs.is_full
    assert runs.let(2) is room
    assert room.done()
    assert not runs.is_full
    assert runs.room() is None
    assert runs.let(3) is None


async def test_all_that_wait_for_room_are_let_go_on():
    """Ours: several calls of a run may tell how far they are, and each waits for the reader."""
    runs = empty(bounded=True, limit=0)
    first, given_up, last = (runs.room() for _ in range(3))
    given_up.cancel()
    last.cancel()
    assert runs.is_full
    assert runs.let(2) is None
    assert first.done()
    assert not runs.is_full


SIZES = st.one_of(st.integers(1, 40), st.integers(1, 3000))


@given(st.lists(st.lists(st.tuples(st.sampled_from([TEXT, THINKING]), SIZES), max_size=6), max_size=60))
async def test_what_waits_for_a_store_is_bounded_in_pieces_and_in_bytes(reads):
    """Design §6: 256 pieces or 4 KB wait, then no more is read. Pieces are looked at together where they are small."""
    runs = empty(bounded=True)
    runs.coalesce()
    runs.let(256, size_bytes=4096)
    left, kind, waits, size, largest = runs.left, None, 0, 0, 0
    for read in reads * 8:
        for speaks, length in read:
            if speaks != kind:
                kind = speaks
                runs.begin(kind, 1)
                left = runs.left
            runs.runs[-1].items.append("x" * length)
            left, waits, size, largest = left - 1, waits + 1, size + length, max(largest, length)
        if left <= 0:
            if runs.room() is not None:
                assert size >= 4096 or runs.next + len(runs.runs[-1].items) >= 256
                break
            left = runs.left
        assert size < 4096 + (LOOK + 6) * largest
    assert runs.left > 0 or runs.is_full


@given(st.integers(1, 5000))
async def test_pieces_of_one_size_wait_up_to_the_bound_and_one_more_at_most(size):
    """Design §6: how far apart the looks are goes by the size of the pieces."""
    runs = empty(bounded=True)
    pieces = runs.begin(TEXT, 1)
    runs.let(256, size_bytes=4096)
    left = runs.left
    while left > 0 or runs.room() is None:
        left = runs.left
        pieces.append("x" * size)
        left -= 1
    assert len(pieces) == min(256, -(-4096 // size))


def test_half_of_a_pair_has_a_size():
    """Ours: what a provider says of arguments is counted, whatever it is."""
    runs = empty()
    runs.begin(ARGUMENTS, "c").append("\ud83d")
    assert runs.measured() == 3


async def test_a_log_without_a_bound_holds_nobody_back():
    """Ours: `wait` takes the bound away, from a writer that waits as well."""
    runs = empty(bounded=True, limit=0)
    room = runs.room()
    runs.unbind()
    assert room is not None
    assert room.done()
    assert (runs.bounded, runs.limit) == (False, runs.next)
