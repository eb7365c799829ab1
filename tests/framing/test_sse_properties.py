"""The event stream parser and encoder: what holds for all bytes and all ways of cutting them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.framing.sse import FrameTooLargeError, SseEvent, SseParser, encode_comment, encode_event, escape_separators

PARTS = (
    *(b"data: ", b"data:", b"data", b"event: x", b"id: 1", b"id", b"retry: 5", b": c", b":", b" "),
    *(b"\n", b"\n\n", b"\r", b"\r\n", b"\r\n\r\n", b"data: {}\n\n", b"data: x\n\n", b'{"a":1}', b"\0"),
    *(b"\xe6\x97\xa5", b"\xe6", b"\xef\xbb\xbf", b"\xef", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0b"),
)
STREAMS = st.lists(st.sampled_from(PARTS) | st.binary(max_size=3), max_size=24).map(b"".join)
# Reads of whole events of one data line each, most of them; in the middle or at the end sometimes something else.
PLAIN_READS = st.lists(
    st.sampled_from(
        (b"data: a\n\n", b"data: b\n\n", b"data: \n\n", b"data: c\n\n", b"\n", b"data: d\n", b"event: x\n", b": p\n\n")
    ),
    min_size=1,
    max_size=4,
).map(b"".join)
NO_LINE_END = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=8)


@st.composite
def _cut_streams(draw: st.DrawFn) -> list[bytes]:
    stream = draw(STREAMS)
    places = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    return [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]


def _whole_text_reference(stream: bytes) -> list[SseEvent]:
    """The standard read naively: all the bytes at once, one regular expression for the line ends."""
    lines = re.split(rb"\r\n|\n|\r", stream.removeprefix(b"\xef\xbb\xbf"))[:-1]
    events, data, name, last_id = [], b"", "", ""
    for line in lines:
        field, colon, value = line.partition(b":")
        if colon:
            value = value[1:] if value[:1] == b" " else value
        if not line:
            if data:
                events.append(SseEvent(data=data[:-1], event=name or "message", event_id=last_id))
            data, name = b"", ""
        elif field == b"data":
            data += value + b"\n"
        elif field == b"event":
            name = value.decode("utf-8", "replace")
        elif field == b"id" and b"\0" not in value:
            last_id = value.decode("utf-8", "replace")
    return events


@pytest.mark.requirement("BR-130")
@given(chunks=_cut_streams())
def test_where_the_bytes_are_cut_does_not_change_the_events(chunks: list[bytes]) -> None:
    """One stream, one list of events: the network's cuts are not ours to show (HTML standard)."""
    expected = _whole_text_reference(b"".join(chunks))
    parser = SseParser()
    assert [event for chunk in chunks for event in parser.feed(chunk)] == expected
    parser.finish()


@given(chunks=_cut_streams())
def test_the_short_way_gives_what_the_long_way_gives(chunks: list[bytes]) -> None:
    """`data_payloads` is `feed` without names and ids, by whichever path a read goes (ours)."""
    expected = [event.data for event in _whole_text_reference(b"".join(chunks))]
    parser = SseParser()
    assert [payload for chunk in chunks for payload in parser.data_payloads(chunk)] == expected


@given(reads=st.lists(PLAIN_READS, max_size=6))
def test_reads_of_plain_events_are_split_right_whatever_stands_between_them(reads: list[bytes]) -> None:
    """The shape providers send, with something else in the middle: blank lines, a name, a comment, a cut (ours)."""
    expected = [event.data for event in _whole_text_reference(b"".join(reads))]
    parser = SseParser()
    assert [payload for read in reads for payload in parser.data_payloads(read)] == expected


@given(chunks=_cut_streams(), ways=st.lists(st.booleans(), min_size=7, max_size=7))
def test_the_two_ways_may_be_mixed(chunks: list[bytes], ways: list[bool]) -> None:
    """Both leave the parser in the same state (ours)."""
    expected = [event.data for event in _whole_text_reference(b"".join(chunks))]
    parser, found = SseParser(), []
    for chunk, short in zip(chunks, ways, strict=False):
        found += parser.data_payloads(chunk) if short else [event.data for event in parser.feed(chunk)]
    assert found == expected


@pytest.mark.requirement("BR-122")
@given(stream=STREAMS)
def test_one_byte_a_read_gives_the_same_events(stream: bytes) -> None:
    """The hardest cut there is."""
    parser = SseParser()
    singles = [event for at in range(len(stream)) for event in parser.feed(stream[at : at + 1])]
    assert singles == SseParser().feed(stream)


@given(chunks=_cut_streams(), limit=st.integers(1, 24))
def test_the_limit_does_not_depend_on_the_cuts(chunks: list[bytes], limit: int) -> None:
    """The same events come out, and then the same refusal or none."""

    def read(pieces: list[bytes]) -> tuple[list[bytes], bool]:
        parser, found = SseParser(max_event_bytes=limit), list[bytes]()
        try:
            for piece in pieces:
                found += parser.data_payloads(piece)
            parser.finish()
        except FrameTooLargeError:
            return found, True
        return found, False

    assert read(chunks) == read([b"".join(chunks)])


@given(
    data=st.text(st.characters(exclude_categories=["Cs"])),
    event=st.none() | NO_LINE_END.filter(bool),
    event_id=st.none() | NO_LINE_END,
    retry_ms=st.none() | st.integers(0, 10**9),
)
def test_what_is_written_is_read_back(data: str, event: str | None, event_id: str | None, retry_ms: int | None) -> None:
    """One event a write; only the kind of a line end within the data is lost."""
    parser = SseParser()
    frame = encode_event(data, event=event, event_id=event_id, retry_ms=retry_ms)
    expected = data.replace("\r\n", "\n").replace("\r", "\n").encode()
    assert parser.feed(encode_comment() + frame) == [
        SseEvent(data=expected, event=event or "message", event_id=event_id or "")
    ]
    assert parser.retry_ms == retry_ms


@given(data=st.text(st.characters() | st.characters(categories=["Cs"]), max_size=6))
def test_no_text_fails_to_be_written(data: str) -> None:
    """Half a surrogate pair is replaced, never an encoding error (ours)."""
    (event,) = SseParser().feed(encode_event(data))
    assert "\ud800" not in event.data.decode()


@given(text=st.text())
def test_escaping_separators_leaves_none_and_is_done_once(text: str) -> None:
    """Nothing else changes, so escaping escaped JSON changes nothing."""
    escaped = escape_separators(text)
    assert not set(escaped) & {"\u0085", "\u2028", "\u2029"}
    assert escape_separators(escaped) == escaped
