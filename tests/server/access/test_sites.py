"""How a server is known."""

from __future__ import annotations

import pytest

from treadle.server.access.sites import Sites


def test_nothing_is_said_where_nothing_is_given() -> None:
    """Issue: CORS off by default."""
    assert (Sites().hosts, Sites().origins, Sites().public_url) == (None, (), None)
    assert Sites(public_url="https://a.example/base/").public_url == "https://a.example/base"


@pytest.mark.parametrize("url", ["a.example", "ftp://a.example", "https://", "https://a.example?x=1", "https://a/#b"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """Ours: expected, came."""
    with pytest.raises(ValueError, match=r"such as 'https://agents\.example'"):
        Sites(public_url=url)
