"""Whether a server may start where it is to listen."""

from __future__ import annotations

import pytest

from tests.server.access.connections import ALICE
from treadle.errors import UnguardedError
from treadle.server.access.anonymous import Anonymous
from treadle.server.access.api_keys import ApiKeys
from treadle.server.access.exposure import check_exposed

KEYS = ApiKeys({"k" * 20: ALICE})


@pytest.mark.requirement("ACCESS-exposed")
@pytest.mark.parametrize("access", [None, Anonymous()])
@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "192.0.2.1", "example.com"])
def test_without_authentication_only_this_machine_is_served(host: str, access: Anonymous | None) -> None:
    """Design: no auth and not loopback is a refusal to start, which says why and what to do."""
    with pytest.raises(UnguardedError) as told:
        check_exposed(host, access)
    assert "ApiKeys" in str(told.value)
    assert "127.0.0.1" in str(told.value)


@pytest.mark.requirement("ACCESS-exposed")
def test_without_authentication_not_every_page_may_call() -> None:
    """Ours: a browser on this machine shows pages of strangers."""
    with pytest.raises(UnguardedError, match="origins"):
        check_exposed("127.0.0.1", None, origins=["*"])


@pytest.mark.parametrize("host", ["0.0.0.0", "example.com", "127.0.0.1"])
def test_with_authentication_a_server_listens_anywhere(host: str) -> None:
    """Ours: whoever is asked who they are may come from anywhere."""
    check_exposed(host, KEYS, origins=["*"])
    check_exposed(host, lambda _: ALICE)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_on_loopback_nothing_has_to_be_said(host: str) -> None:
    """Ours: trying it out takes no key."""
    check_exposed(host, None, origins=["http://localhost:5173"])
