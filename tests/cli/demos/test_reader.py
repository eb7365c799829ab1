"""A reader over HTTP that loses its connection and comes back."""

from __future__ import annotations

import socket

import pytest

from tests.cli.demos.origin import GONE, answering, event, response
from treadle.cli.demos.counting import Counts
from treadle.cli.demos.outcome import DemoFailedError
from treadle.cli.demos.reader import Reader, asked

START = {"agent": "loom", "prompt": "hi", "key": "k"}
PLACE = "location: /v1/runs/r_1\r\n"


def test_a_reader_comes_back_with_the_last_id_that_it_got() -> None:
    """docs/demos.md: the first request starts the run, each later one asks for what lies behind the cursor."""
    cut = response(event(0, kind="run_started") + event(1), is_whole=False, headers=PLACE)
    rest = response(event(2, text="y", epoch=2) + event(3, kind="done"))
    with answering([cut, rest]) as (url, requests):
        reader = Reader(start=START)
        for _ in range(2):
            reader.connect(url)
            reader.read_on()
    assert requests[0].startswith(b"POST /v1/runs ")
    assert b'"key": "k"' in requests[0]
    assert requests[1].startswith(b"GET /v1/runs/r_1/events ")
    assert b"last-event-id: 1:1\r\n" in requests[1]
    assert (reader.is_over, reader.last_index, reader.cursor) == (True, 3, "1:3")
    assert reader.counts("xy") == Counts()
    assert reader.counts("xyz") == Counts(missing_characters=1)


def test_a_start_that_nobody_answered_is_sent_again() -> None:
    """docs/demos.md: whoever is killed before the answer has stored the run or has not; the key says which it is."""
    with answering([GONE, response(event(0, kind="done"), headers=PLACE)]) as (url, requests):
        reader = Reader(start=START)
        reader.connect(url)
        assert (reader.next(), reader.run_id, reader.last_index) == (None, "", -1)
        reader.connect(url)
        reader.read_on()
    assert [request[:4] for request in requests] == [b"POST", b"POST"]
    assert (reader.is_over, reader.run_id) == (True, "r_1")


@pytest.mark.parametrize(
    "said",
    [
        response(b'{"code":"cursor"}', status="409 Conflict"),
        response(b"data: no JSON\n\n"),
        response(b'data: {"kind": "text_delta", "text": "no index"}\n\n'),
    ],
)
def test_what_is_no_stream_of_a_run_ends_the_demo(said: bytes) -> None:
    """docs/demos.md: a refusal is told, and so is a body that is no event."""
    with answering([said]) as (url, _):
        reader = Reader(run_id="r_1")
        reader.connect(url)
        with pytest.raises(DemoFailedError):
            reader.read_on()


def test_nobody_there_ends_the_demo() -> None:
    """docs/demos.md: it says that nobody listens, and does not wait for somebody."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with pytest.raises(DemoFailedError):
        Reader(run_id="r_1").connect(url)
    with pytest.raises(DemoFailedError):
        asked(url, "/v1/runs/r_1")


def test_a_reader_that_leaves_holds_no_connection() -> None:
    """Ours: leaving closes it at once, with bytes on their way; a reader that holds little reads as another does."""
    with answering([response(event(0), is_whole=False), response(event(1) + event(2, kind="done"))]) as (url, _):
        reader = Reader(run_id="r_1")
        reader.connect(url, receive_bytes=4096)
        assert reader.answered()
        reader.leave()
        assert reader.next() is None
        reader.connect(url)
        reader.read_on()
    assert [heard.index for heard in reader.heard] == [1, 2]


@pytest.mark.parametrize(
    "said", [response(b"[", status="200 OK"), response(b"{}", status="404 Not Found"), b"no HTTP\r\n\r\n"]
)
def test_an_answer_that_is_none_ends_the_demo(said: bytes) -> None:
    """docs/demos.md: what was expected and what came."""
    with answering([said]) as (url, _), pytest.raises(DemoFailedError):
        asked(url, "/v1/runs/r_1")
