"""Which hosts are this machine alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.server.access.loopback import is_foreign_address, is_loopback

OWN = [
    "localhost",
    "LocalHost",
    "localhost.",
    "app.localhost",
    "127.0.0.1",
    "127.8.9.1",
    "::1",
    "[::1]",
    "::ffff:127.0.0.1",
]
FOREIGN = [
    "",
    "0.0.0.0",
    "::",
    "[::]",
    "192.0.2.1",
    "2001:db8::1",
    "example.com",
    "localhost.example.com",
    "1",
    "127.1",
]


@pytest.mark.parametrize("host", OWN)
def test_these_are_this_machine(host: str) -> None:
    """Ours: names and addresses that never leave the machine."""
    assert is_loopback(host)


@pytest.mark.parametrize("host", FOREIGN)
def test_these_are_not(host: str) -> None:
    """Ours: an empty host and the two zeros are every interface; a name is what somebody makes it."""
    assert not is_loopback(host)


@given(st.ip_addresses())
def test_an_address_is_foreign_or_ones_own(address: object) -> None:
    """Ours: for every address, one of the two."""
    assert is_foreign_address(str(address)) != is_loopback(str(address))


@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    """Ours: a host may come from a header."""
    assert not (is_loopback(text) and is_foreign_address(text))
