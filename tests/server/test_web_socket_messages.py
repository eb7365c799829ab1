"""What is said on a socket beside the events."""

from __future__ import annotations

import json

import pytest

from treadle.errors import BadRequestError, CursorError, RunNotFoundError
from treadle.projections.plain.wire import Integers
from treadle.runtime.watching import Unit
from treadle.server.access.failures import refusal
from treadle.server.delivery import Ending
from treadle.server.web_socket_messages import REASONS, Leave, Read, over, reading, refused, wish_of
from treadle.values.ids import RunId


def test_a_read_names_a_run_and_the_rest_has_the_defaults_of_the_stream() -> None:
    """Ours: the words of the query of a stream, with the same defaults."""
    assert wish_of('{"type":"read","run_id":"r"}') == Read(
        run_id=RunId("r"), after=None, follow=Unit.SEGMENT, integers=Integers.EXACT, ticket=None
    )
    said = {"type": "read", "run_id": "r", "after": "1:3", "follow": "run", "integers": "text", "ticket": "t"}
    assert wish_of(json.dumps(said)) == Read(
        run_id=RunId("r"), after="1:3", follow=Unit.RUN, integers=Integers.TEXT, ticket="t"
    )
    assert wish_of('{"type":"leave","run_id":"r"}') == Leave(run_id=RunId("r"))


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("", ""),
        ("no json", ""),
        ("[]", ""),
        ("{}", "/type"),
        ('{"type":"write","run_id":"r"}', "/type"),
        ('{"type":"read"}', "/run_id"),
        ('{"type":"read","run_id":3}', "/run_id"),
        ('{"type":"read","run_id":"r","follow":"thread"}', "/follow"),
        ('{"type":"read","run_id":"r","integers":"hex"}', "/integers"),
        ('{"type":"read","run_id":"r","more":1}', "/more"),
        ('{"type":"leave","run_id":"r","after":"1:1"}', ""),
        ('{"type":"read","run_id":"\ud800', ""),
        ("[" * 10_000, ""),
    ],
)
def test_what_is_no_wish_is_refused_where_it_is_wrong(text: str, pointer: str) -> None:
    """Ours: bad input gets a clear error."""
    with pytest.raises(BadRequestError) as caught:
        wish_of(text)
    assert caught.value.pointer == pointer


def test_what_this_side_says_begins_with_its_type_and_no_event_does() -> None:
    """Ours: a client tells events from the rest by their first field."""
    run_id = RunId('r"1')
    assert json.loads(reading(run_id)) == {"type": "reading", "run_id": run_id}
    assert [json.loads(over(run_id, ending)) for ending in REASONS] == [
        {"type": "over", "run_id": run_id, "reason": reason} for reason in ("read", "left", "forbidden", "internal")
    ]
    assert set(Ending) - set(REASONS) == {Ending.FROZEN, Ending.DRAINED, Ending.GIVEN_UP}


def test_a_refusal_says_what_one_over_http_says_and_of_which_run() -> None:
    """Ours: one set of codes, with the details of each."""
    said = json.loads(refused(refusal(CursorError("ahead", reset_to="1:3")), RunId("r")))
    assert said.pop("reference").startswith("e_")
    assert said == {"type": "refused", "run_id": "r", "code": "bad_cursor", "message": "ahead", "reset_to": "1:3"}
    assert json.loads(refused(refusal(RunNotFoundError("x")), None))["run_id"] is None
