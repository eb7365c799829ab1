"""What a user may give as `access`, to mypy. Checked by `make types`, never run."""

from __future__ import annotations

from typing import assert_type

from starlette.requests import HTTPConnection

from treadle.server.access import Action, Anonymous, ApiKeys, Authenticator, BearerJwt, Principal
from treadle.server.access.entrance import Access


async def waits(connection: HTTPConnection) -> Principal | None:
    """A function of the user's own that waits."""
    return Principal(name=connection.headers["x-user"], scope="s", may=[Action.READ])


def does_not(connection: HTTPConnection) -> Principal:
    """A function of the user's own that does not."""
    return Principal(name=connection.headers["x-user"], scope="s", may={Action.READ})


async def says(connection: HTTPConnection) -> None:
    """Each of them is an access."""
    built_in: list[Authenticator] = [ApiKeys({}), BearerJwt(key="", algorithms=["HS256"]), Anonymous()]
    access: list[Access] = [waits, does_not, *built_in]
    assert access
    assert_type(await Anonymous()(connection), Principal)
    ApiKeys({"key": "alice"})  # type: ignore[dict-item]  # a key stands for a principal, not for a name
    Principal("alice", "s")  # type: ignore[call-arg]  # by name
