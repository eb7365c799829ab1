"""What holds of the book of calls for all turns, all cuts and all ways of mixing."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.test_call_arguments import OBJECTS
from treadle.kernel.call_book import CallBook
from treadle.values.calls import ToolRequest
from treadle.values.model import ARGUMENTS, CallNamed

_FRAGMENTS = st.fixed_dictionaries(
    {
        "index": st.none() | st.integers(0, 2),
        "provider_id": st.none() | st.sampled_from(["", "A", "B"]),
        "name": st.none() | st.sampled_from(["", "f", "g"]),
        "arguments": st.none() | st.sampled_from(["", " ", "{", "}", "{}", '{"a":', '"x"', "1}", '{"a":1}', "\ud83d"]),
    }
)


@st.composite
def _streams(draw: st.DrawFn) -> tuple[list[tuple[str, str, dict[str, Any]]], list[dict[str, Any]]]:
    """Well-formed calls, cut and mixed in one of the ways providers have."""
    written = draw(st.lists(st.tuples(st.sampled_from(["f", "g"]), OBJECTS), max_size=4))
    way = draw(st.sampled_from(["index", "index without ids", "id", "id at one index", "serial", "serial by index"]))
    repeats = draw(st.booleans())
    calls = []
    queues = []
    for number, (name, arguments) in enumerate(written):
        provider_id = "" if way == "index without ids" else f"call_{number}"
        text = json.dumps(arguments, ensure_ascii=draw(st.booleans()))
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        calls.append((provider_id, name, json.loads(text)))
        queues.append([_fragment(way, number, provider_id, name, piece, first=not at, repeats=repeats)
                       for at, piece in enumerate(pieces)])  # fmt: skip
    # Heads come in order, as they do from every provider; which call goes on is drawn.
    stream: list[dict[str, Any]] = []
    if way.startswith("serial"):
        return calls, [fragment for queue in queues for fragment in queue]
    opened = 0
    while any(queues):
        ready = [at for at, queue in enumerate(queues) if queue and at <= opened]
        at = draw(st.sampled_from(ready))
        opened = max(opened, at + 1)
        stream.append(queues[at].pop(0))
    return calls, stream


def _fragment(
    way: str, number: int, provider_id: str, name: str, piece: str, *, first: bool, repeats: bool
) -> dict[str, Any]:
    index = {"index": number, "index without ids": number, "serial by index": number, "id at one index": 0}.get(way)
    has_id = first or repeats or way.startswith("id")
    return {
        "index": index,
        "provider_id": provider_id if has_id else None,
        "name": name if first or repeats else None,
        "arguments": piece,
    }


def _read(fragments: list[dict[str, Any]]) -> tuple[tuple[ToolRequest, ...], str | None, list[Any]]:
    book = CallBook()
    items = [item for fragment in fragments for item in book.fragment(**fragment)]
    return *book.finish(), items


@pytest.mark.slow
@given(stream=_streams())
def test_calls_are_read_the_same_however_they_are_cut_and_mixed(
    stream: tuple[list[tuple[str, str, dict[str, Any]]], list[dict[str, Any]]],
) -> None:
    """By ids or by indexes, heads repeated or not, the requests are the calls that were written (ours)."""
    calls, fragments = stream
    requests, damage, _ = _read(fragments)
    assert damage is None
    assert [(request.provider_id, request.name, json.loads(json.dumps(request.arguments))) for request in requests] == (
        calls
    )
    assert [request.damage for request in requests] == [None] * len(calls)


@pytest.mark.slow
@given(fragments=st.lists(_FRAGMENTS, max_size=10))
def test_any_fragments_give_requests_and_pieces_that_agree(fragments: list[dict[str, Any]]) -> None:
    """Nothing raises; slots are dense; a piece belongs to the call last named; told and kept text agree (ours)."""
    requests, damage, items = _read(fragments)
    told: dict[int, str] = {}
    slot = -1
    for item in items:
        match item:
            case CallNamed():
                slot = item.slot
                told.setdefault(slot, "")
                assert requests[slot].name == item.name
            case (kind, text):
                assert kind == ARGUMENTS
                assert text
                text.encode()
                told[slot] += text
    named = [request for request in requests if request.name]
    assert list(told) == list(range(len(named)))
    for at, request in enumerate(named):
        kept = request.raw_arguments if request.damage else json.dumps(request.arguments)
        assert told[at] == kept or not request.damage or kept == told[at] + "\ufffd"
        if request.damage is None and damage is None:
            assert json.loads(told[at].strip() or "{}") == request.arguments
    assert all(request.damage for request in requests[len(named) :])


@pytest.mark.slow
@given(fragments=st.lists(_FRAGMENTS, max_size=8))
def test_two_ids_that_were_named_never_become_one_call(fragments: list[dict[str, Any]]) -> None:
    """Every id that came with a name is the id of a call of its own, unless the turn is damaged (ours).

    One exception is no merging: an id that came without a name first was taken for the changed id of a call.
    """
    requests, damage, _ = _read(fragments)
    first_seen = {}
    for fragment in fragments:
        if fragment["provider_id"]:
            first_seen.setdefault(fragment["provider_id"], bool(fragment["name"]))
    heads = {provider_id for provider_id, named in first_seen.items() if named}
    found = Counter(request.provider_id for request in requests)
    assert damage is not None or all(found[provider_id] for provider_id in heads)
