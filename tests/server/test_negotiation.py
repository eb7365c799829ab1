"""What a request asks to be answered with."""

from __future__ import annotations

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from tests.server.access.connections import connection
from treadle.errors import BadRequestError
from treadle.projections.plain.wire import Integers
from treadle.runtime.watching import Unit
from treadle.server.delivery import NDJSON, SSE, Form
from treadle.server.negotiation import (
    count_of,
    cursor_of,
    flag_of,
    form_or_json,
    integers_of,
    one_of,
    state_of,
    stream_form,
    unit_of,
)
from treadle.values.runs import RunStatus


def asking(query: str = "", *headers: tuple[str, str]) -> HTTPConnection:
    """A connection with this query."""
    made = connection(*headers)
    made.scope["query_string"] = query.encode()
    return HTTPConnection(made.scope)


@pytest.mark.parametrize(
    ("accept", "stream", "start"),
    [
        (None, SSE, None),
        ("*/*", SSE, None),
        ("text/event-stream", SSE, SSE),
        ("application/x-ndjson", NDJSON, NDJSON),
        ("text/event-stream;q=0.5, application/x-ndjson", NDJSON, NDJSON),
        ("application/x-ndjson;q=0.2, text/event-stream;q=0.9, */*;q=0.1", SSE, SSE),
        ("text/*", SSE, SSE),
        ("text/html, */*;q=0.8", SSE, None),
        ("Text/Event-Stream; charset=utf-8", SSE, SSE),
        ("application/json, text/event-stream", SSE, None),
        ("application/json;q=0.1, text/event-stream", SSE, SSE),
    ],
)
def test_the_form_is_what_the_client_takes_most_gladly(accept: str | None, stream: Form, start: Form | None) -> None:
    """Issue: SSE or NDJSON by Accept; a start is answered with JSON unless a stream is asked for."""
    made = asking("", *([] if accept is None else [("accept", accept)]))
    assert (stream_form(made), form_or_json(made)) == (stream, start)


@pytest.mark.parametrize("accept", ["text/html", "application/json", "text/event-stream;q=0", "*/*;q=nan", "nonsense"])
def test_a_client_that_takes_neither_form_is_told_before_the_stream(accept: str) -> None:
    """HTTP: 406. A start is answered with JSON all the same."""
    with pytest.raises(HTTPException) as refused:
        stream_form(asking("", ("accept", accept)))
    assert refused.value.status_code == 406
    assert form_or_json(asking("", ("accept", accept))) is None


def test_a_browser_that_comes_back_repeats_its_address_so_the_header_counts() -> None:
    """HTML standard: EventSource sends the same URL again, with `Last-Event-ID`."""
    assert cursor_of(asking("after=1:2", ("last-event-id", "1:7"))) == "1:7"
    assert cursor_of(asking("after=1:2", ("last-event-id", ""))) == "1:2"
    assert cursor_of(asking()) is None


def test_what_is_not_said_has_its_default() -> None:
    """Issue: `?follow=segment|run`, the first by default."""
    made = asking()
    assert (unit_of(made), integers_of(made), state_of(made)) == (Unit.SEGMENT, Integers.EXACT, None)
    assert (flag_of(made, "facts_only"), count_of(made, "limit", without=5, most=9)) == (False, 5)


def test_what_is_said_is_taken() -> None:
    """Ours: each in its own words."""
    made = asking("follow=run&integers=text&state=waiting&facts_only=true&limit=9")
    assert (unit_of(made), integers_of(made), state_of(made)) == (Unit.RUN, Integers.TEXT, RunStatus.WAITING)
    assert (flag_of(made, "facts_only"), count_of(made, "limit", without=5, most=9)) == (True, 9)


def everything(made: HTTPConnection) -> tuple[object, ...]:
    """All that can be asked of a request."""
    words = (cursor_of(made), unit_of(made), integers_of(made), state_of(made))
    return (*words, flag_of(made, "facts_only"), count_of(made, "limit", without=5, most=9))


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("follow=both", "?follow"),
        ("follow=", "?follow"),
        ("integers=float", "?integers"),
        ("state=lost", "?state"),
        ("facts_only=1", "?facts_only"),
        ("limit=0", "?limit"),
        ("limit=10", "?limit"),
        ("limit=-1", "?limit"),
        ("limit=٣", "?limit"),
        (f"limit={'9' * 5000}", "?limit"),
        ("follow=run&follow=run", "?follow"),
        ("after=1:1&after=1:2", "?after"),
    ],
)
def test_anything_else_is_refused_with_its_name(query: str, pointer: str) -> None:
    """Ours: what was expected, what came, and where."""
    made = asking(query)
    with pytest.raises(BadRequestError) as refused:
        everything(made)
    assert refused.value.pointer == pointer
    assert len(str(refused.value)) < 200


def test_a_parameter_that_is_there_is_given_as_it_is() -> None:
    """Ours: text of the client's, to be judged by whoever asked for it."""
    assert one_of(asking("before=r_%C3%A9"), "before") == "r_é"
