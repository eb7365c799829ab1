"""The values of one header, straight from an ASGI scope."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection

from treadle.server.access.said_headers import values_of

NAMES = st.sampled_from([b"host", b"origin", b"accept"])


@given(st.lists(st.tuples(NAMES, st.binary(max_size=6)), max_size=6), NAMES)
def test_they_are_those_that_the_framework_finds(headers: list[tuple[bytes, bytes]], name: bytes) -> None:
    """Ours: whatever stands in the headers, in their order, as Starlette's own reader has it."""
    scope = {"type": "http", "headers": headers}
    assert values_of(scope, name) == HTTPConnection(scope).headers.getlist(name.decode())
