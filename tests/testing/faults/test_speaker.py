"""Replies carried out: what is sent, where it ends, and what the ledger says of it."""

from __future__ import annotations

import json

import pytest

from tests.testing.faults.raw_client import RawClient, server_of
from treadle.testing.faults.scenario import reply, say
from treadle.testing.faults.steps import Comment, Done, Eof, Finish, Head, Raw, Reply, Reset, Status

END = (Finish(reason="stop"), Done())
FULL = reply(say("a", "b"), END)
CUT = reply(say("a"), Eof(body_ended=False))


async def test_a_stream_is_sent_and_counted() -> None:
    """One event a write, and the ledger says what the caller got (ours)."""
    async with server_of(s=FULL) as server, RawClient(server.base_url) as client:
        answer = await client.ask("s")
    assert (answer.status, answer.ended, answer.content) == (200, True, "ab")
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.payloads[-1] == "[DONE]"
    assert len(answer.pieces) == 4
    (exchange,) = server.stats.of("s")
    assert (exchange.status, exchange.end, exchange.streamed) == (200, "complete", True)
    assert (exchange.sent_events, exchange.sent_bytes) == (4, len(answer.body))
    assert server.stats.bodies("s")[0]["messages"] == [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("said", "status", "text", "ended"),
    [
        (CUT, 200, "a", False),
        (reply(say("a"), Eof(body_ended=True)), 200, "a", True),
        (reply(Eof(body_ended=False)), 0, "", False),
        (reply(Eof(body_ended=True)), 200, "", True),
        (reply(Reset()), 0, "", False),
        (reply(say("a", "b"), Reset()), 200, "ab", False),
    ],
)
async def test_a_stream_ends_where_its_reply_ends_it(said: Reply, status: int, text: str, *, ended: bool) -> None:
    """Nothing before the end is lost, whatever the end is (ours)."""
    async with server_of(s=said) as server, RawClient(server.base_url) as client:
        answer = await client.ask("s")
    assert (answer.status, answer.content, answer.ended) == (status, text, ended)
    assert [exchange.end for exchange in server.stats.exchanges] == ["cut"]


@pytest.mark.parametrize(
    ("said", "status", "end"),
    [
        (FULL, 200, "complete"),
        (CUT, 200, "cut"),
        (reply(say("a"), Reset()), 200, "cut"),
        (reply(Eof(body_ended=False)), 0, "cut"),
    ],
)
async def test_an_answer_that_is_not_streamed_is_cut_in_the_middle(said: Reply, status: int, end: str) -> None:
    """What cuts a stream cuts a whole answer too (ours)."""
    async with server_of(s=said) as server, RawClient(server.base_url) as client:
        answer = await client.ask("s", stream=False)
    assert (answer.status, answer.ended) == (status, end == "complete")
    assert [exchange.end for exchange in server.stats.exchanges] == [end]


async def test_a_status_can_have_any_body_and_headers() -> None:
    """Gateways answer with pages, providers with their own errors (ours)."""
    page = reply(Status(code=502, body=b"<p>", content_type="text/html"))
    busy = reply(Status(code=429, kind="rate_limit_error", headers=(("retry-after", "1"),)))
    async with server_of(page=page, busy=busy) as server, RawClient(server.base_url) as client:
        answer = await client.ask("page")
        assert (answer.status, answer.body, answer.headers["content-type"]) == (502, b"<p>", "text/html")
        answer = await client.ask("busy", stream=False)
        assert (answer.status, answer.headers["retry-after"]) == (429, "1")
        assert json.loads(answer.body)["error"]["type"] == "rate_limit_error"
    assert [exchange.end for exchange in server.stats.exchanges] == ["refused", "refused"]


async def test_a_reply_says_how_its_bytes_go_out() -> None:
    """One write, CRLF, no blank after the colon; raw bytes are left as they are (ours)."""
    joined = reply(say("a"), Comment(), say("b"), END, write_bytes=0, line_end=b"\r\n", after_colon=b"")
    raw = reply(Head(content_type="text/html"), Raw(data=b"data: x\n"), line_end=b"\r\n")
    async with server_of(joined=joined, raw=raw, nothing=reply()) as server, RawClient(server.base_url) as client:
        answer = await client.ask("joined")
        assert len(answer.pieces) == 1
        assert answer.body.count(b"\r\n") == answer.body.count(b"\n") == 10
        assert answer.body.startswith(b'data:{"id"')
        assert b": ping\r\n\r\n" in answer.body
        assert answer.content == "ab"
        answer = await client.ask("raw")
        assert (answer.body, answer.headers["content-type"]) == (b"data: x\n", "text/html")
        answer = await client.ask("nothing")
        assert (answer.status, answer.body, answer.ended) == (200, b"", True)
        answer = await client.ask("nothing", stream=False)
        assert (answer.status, answer.body, answer.ended) == (200, b"", True)
