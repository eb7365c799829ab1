"""The event stream parser and encoder, one fact a test."""

import pytest

from treadle.errors import StateError
from treadle.framing.sse import FrameTooLargeError, SseEvent, SseParser, encode_comment, encode_event, escape_separators


def _events_of(data: bytes) -> list[SseEvent]:
    parser = SseParser()
    events = parser.feed(data)
    parser.finish()
    return events


def _payloads(*chunks: bytes) -> list[bytes]:
    parser = SseParser()
    return [payload for chunk in chunks for payload in parser.data_payloads(chunk)]


@pytest.mark.requirement("BR-126")
def test_only_cr_lf_and_crlf_end_a_line() -> None:
    """Vertical tab, form feed, U+0085, U+2028 and U+2029 are text (HTML standard)."""
    text = "a\u2028b\u0085c\u2029d\x0b\x0ce\x1c\x1d\x1e"
    events = _events_of(f"data: {text}\n\ndata: end\n\n".encode())
    assert [event.text for event in events] == [text, "end"]


@pytest.mark.requirement("BR-127")
def test_line_separators_are_escaped_inside_json_and_come_back_the_same() -> None:
    """Well-known readers split at them, so they never stand raw in JSON on the wire (ours)."""
    escaped = escape_separators('{"t":"a\u2028b\u0085c\u2029d"}')
    assert escaped == '{"t":"a\\u2028b\\u0085c\\u2029d"}'
    assert _events_of(encode_event(escaped)) == [SseEvent(data=escaped.encode())]


@pytest.mark.requirement("BR-129")
@pytest.mark.parametrize("forged", ["a\ndata: x", "a\rdata: x", "a\r\nevent: error"])
def test_a_line_end_in_a_name_an_id_or_a_comment_is_refused(forged: str) -> None:
    """It would forge fields (ours); the refusal says what came."""
    for encode in (
        lambda: encode_event("d", event=forged),
        lambda: encode_event("d", event_id=forged),
        lambda: encode_comment(forged),
    ):
        with pytest.raises(ValueError, match="on one line, not "):
            encode()


@pytest.mark.requirement("BR-129")
def test_an_id_with_nul_is_refused_when_written_and_ignored_when_read() -> None:
    """HTML standard: an id that holds NUL is ignored, so a writer must not rely on one."""
    with pytest.raises(ValueError, match="without NUL"):
        encode_event("d", event_id="5\0")
    assert _events_of(b"id: 4\nid: 5\x00\ndata: d\n\n") == [SseEvent(data=b"d", event_id="4")]


@pytest.mark.requirement("BR-130")
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_the_three_line_ends_give_the_same_events(line_end: bytes) -> None:
    """HTML standard; a CRLF pair is one line end and no blank line."""
    stream = b"data: 1\n\nevent: x\ndata: 2\n\ndata: 3\ndata: 4\n\n".replace(b"\n", line_end)
    expected = [SseEvent(data=b"1"), SseEvent(data=b"2", event="x"), SseEvent(data=b"3\n4")]
    assert _events_of(stream) == expected


@pytest.mark.requirement("BR-130")
def test_a_crlf_pair_cut_between_two_reads_is_one_line_end() -> None:
    """The pair is told from a blank line whether or not anything stands between the reads."""
    parser = SseParser()
    assert parser.feed(b"data: 1\r") == []
    assert parser.feed(b"") == []
    assert parser.feed(b"\n") == []
    assert parser.feed(b"\r") == [SseEvent(data=b"1")]
    assert parser.feed(b"\ndata: 2\r\n\r\n") == [SseEvent(data=b"2")]


@pytest.mark.requirement("BR-131")
@pytest.mark.slow
def test_a_line_of_five_megabytes_is_read_whole() -> None:
    """No line limit below the limit of an event (ours)."""
    data = b"x" * 5_000_000
    stream = b"data: " + data + b"\n\n"
    assert _payloads(stream) == [data]
    assert _payloads(*(stream[at : at + 4096] for at in range(0, len(stream), 4096))) == [data]


@pytest.mark.requirement("BR-131")
@pytest.mark.slow
@pytest.mark.untraced
def test_a_line_of_a_megabyte_in_reads_of_one_byte_is_read_in_linear_time() -> None:
    """Work in the square of the length would not end before the runner's own limit (ours)."""
    stream = b"data: " + b"x" * 1_000_000 + b"\n\n"
    assert _payloads(*(stream[at : at + 1] for at in range(len(stream)))) == [stream[6:-2]]


@pytest.mark.requirement("BR-131")
def test_an_event_over_the_limit_is_a_clear_error_after_the_events_before_it() -> None:
    """The good events are given out first, then the error, then nothing more (ours)."""
    parser = SseParser(max_event_bytes=16)
    assert parser.feed(b"data: ok\n\ndata: " + b"x" * 20) == [SseEvent(data=b"ok")]
    for again in (parser.feed, parser.data_payloads):
        with pytest.raises(FrameTooLargeError) as caught:
            again(b"data: late\n\n")
        assert (caught.value.limit_bytes, caught.value.seen_bytes) == (16, 26)
    with pytest.raises(FrameTooLargeError):
        parser.finish()


@pytest.mark.requirement("BR-131")
@pytest.mark.parametrize(
    "stream",
    [
        b"data: 0123456789a\n\n",
        b"data: 0\ndata: 1\ndata: 2\n",
        b"event: 0123456789\n",
        b": 0123456789abcdef\n",
        b"data: 0123456789a",
    ],
)
def test_the_limit_counts_the_lines_of_an_event_by_whatever_way_they_come(stream: bytes) -> None:
    """One line or many, ended or not, and read as plain data or not: more than the limit is refused."""
    with pytest.raises(FrameTooLargeError):
        SseParser(max_event_bytes=16).feed(stream)
    between = SseParser(max_event_bytes=16)
    assert between.data_payloads(b"data: 1\n\n") == [b"1"]
    with pytest.raises(FrameTooLargeError):
        between.data_payloads(stream)


def test_a_read_of_several_plain_events_is_split() -> None:
    """What providers send, after the first event and at the price of a split (ours)."""
    plain = b"data: 1\n\ndata: 2\n\ndata: \n\ndata: 3\n\n"
    assert _payloads(plain, plain) == [b"1", b"2", b"", b"3"] * 2
    assert _payloads(plain, b"data: 1\ndata: 2\n\ndata: 3\n\n") == [b"1", b"2", b"", b"3", b"1\n2", b"3"]
    assert _payloads(plain, b"data: 1\n\n\ndata: 2\n\n", b"data: 3\n\n") == [b"1", b"2", b"", b"3", b"1", b"2", b"3"]


def test_comments_between_events_never_add_up_to_the_limit() -> None:
    """Heartbeats are not held, so a quiet stream of any length stays readable."""
    parser = SseParser(max_event_bytes=8)
    assert parser.feed(b": ping\n" * 100 + b"data: d\n\n") == [SseEvent(data=b"d")]


def test_a_byte_order_mark_is_taken_off_once_and_only_at_the_start() -> None:
    """HTML standard: at most one."""
    assert _events_of(b"\xef\xbb\xbfdata: \xef\xbb\xbfd\n\n") == [SseEvent(data=b"\xef\xbb\xbfd")]
    assert _events_of(b"\xef\xbb\xbf\xef\xbb\xbfdata: d\n\n") == []
    assert _events_of(b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n") == [SseEvent(data=b"1")]


def test_fields_read_as_the_standard_says() -> None:
    """One optional space, a line without a colon, unknown fields, comments, a name that does not outlive its event."""
    stream = b": c\nevent:x\ndata:  two\ndata\nother: 1\n\ndata:y\n\n"
    assert _events_of(stream) == [SseEvent(data=b" two\n", event="x"), SseEvent(data=b"y")]


def test_an_event_without_data_is_none_but_its_id_stays() -> None:
    """HTML standard: the id is kept, the name is not."""
    parser = SseParser()
    assert parser.feed(b"event: x\nid: 7\n\n") == []
    assert parser.last_event_id == "7"
    assert parser.feed(b"data: d\n\n") == [SseEvent(data=b"d", event_id="7")]
    assert parser.feed(b"id\ndata: d\n\n") == [SseEvent(data=b"d", event_id="")]


def test_empty_data_is_an_event() -> None:
    """HTML standard: `data` alone is the empty text."""
    assert _events_of(b"data\n\ndata\ndata\n\ndata:") == [SseEvent(data=b""), SseEvent(data=b"\n")]


def test_retry_is_digits_of_a_sane_length() -> None:
    """HTML standard: anything else is ignored."""
    parser = SseParser()
    parser.feed(b"retry: soon\nretry: -1\nretry: " + b"9" * 5000 + b"\n")
    assert parser.retry_ms is None
    parser.feed(b"retry: 1500\n")
    assert parser.retry_ms == 1500


def test_an_event_the_stream_did_not_end_is_told_and_not_dispatched() -> None:
    """HTML standard: it is dropped; a reader may still want to know what it was."""
    parser = SseParser()
    assert parser.unfinished is None
    assert parser.feed(b"id: 3\nevent: x\ndata: a\ndata: b") == []
    assert parser.unfinished == SseEvent(data=b"a\nb", event="x", event_id="3")
    parser.finish()
    assert parser.unfinished == SseEvent(data=b"a\nb", event="x", event_id="3")


def test_bytes_after_the_end_are_refused() -> None:
    """Feeding a finished stream is a bug of the caller (ours)."""
    parser = SseParser()
    assert parser.data_payloads(b"data: 1\n\n") == [b"1"]
    parser.finish()
    for late in (parser.feed, parser.data_payloads):
        with pytest.raises(StateError):
            late(b"data: 2\n\n")


def test_a_limit_below_one_is_refused() -> None:
    """A parser that could hold nothing could read nothing."""
    with pytest.raises(ValueError, match="1 or more, not 0"):
        SseParser(max_event_bytes=0)


def test_bytes_that_are_no_text_are_given_as_they_are_and_replaced_as_text() -> None:
    """The data is bytes for a typed decoder; as text it never raises (ours)."""
    (event,) = _events_of(b"data: a\xffb\n\n")
    assert (event.data, event.text) == (b"a\xffb", "a\ufffdb")


def test_an_event_is_written_with_its_name_its_id_and_its_wait() -> None:
    """Only LF, `data` last, a blank line after it: what the strictest clients read (ours)."""
    frame = encode_event("one\r\ntwo\rthree\n", event="x", event_id="1:7", retry_ms=500)
    assert frame == b"event: x\nid: 1:7\nretry: 500\ndata: one\ndata: two\ndata: three\ndata: \n\n"


def test_a_negative_wait_is_refused() -> None:
    """A reader would ignore it."""
    with pytest.raises(ValueError, match="0 or more, not -1"):
        encode_event("d", retry_ms=-1)


def test_a_comment_is_seen_by_nobody() -> None:
    """A heartbeat is no event."""
    assert encode_comment() == b": ping\n\n"
    assert _events_of(encode_comment("x") + encode_event("d")) == [SseEvent(data=b"d")]
