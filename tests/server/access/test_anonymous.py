"""A server that asks nobody."""

from __future__ import annotations

import pytest

from tests.server.access.connections import connection
from treadle.errors import UnauthenticatedError
from treadle.server.access.anonymous import Anonymous
from treadle.server.access.principal import Action


@pytest.mark.parametrize("client", [("127.0.0.1", 1), ("::1", 1), ("testclient", 1), ("", 0), None])
async def test_on_its_own_machine_everybody_is_one_principal_who_may_do_everything(
    client: tuple[str, int] | None,
) -> None:
    """Ours: the three lines of the start work without a key. A socket file has no address."""
    found = await Anonymous(scope="dev")(connection(client=client))
    assert (found.name, found.scope, found.may) == ("anonymous", "dev", frozenset(Action))


@pytest.mark.requirement("ACCESS-exposed")
@pytest.mark.parametrize("host", ["192.0.2.7", "10.0.0.1", "2001:db8::1", "::ffff:192.0.2.7"])
async def test_another_machine_is_refused(host: str) -> None:
    """Ours: mounted in an application, a server does not know where it listens; it sees who comes."""
    with pytest.raises(UnauthenticatedError):
        await Anonymous()(connection(client=(host, 1)))


def test_its_printed_form_says_the_scope() -> None:
    """Ours: whoever prints it sees whose runs everybody has."""
    assert repr(Anonymous(scope="dev")) == "Anonymous(scope='dev')"
