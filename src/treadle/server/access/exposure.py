"""Whether a server may start where it is to listen.

In: the host it listens on, who is asked, whose pages may call. Out: nothing, or a refusal that says what to do.
"""

from __future__ import annotations

from collections.abc import Collection

from treadle.errors import UnguardedError
from treadle.server.access.anonymous import Anonymous
from treadle.server.access.entrance import Access
from treadle.server.access.loopback import is_loopback


def check_exposed(host: str, access: Access | None, *, origins: Collection[str] = ()) -> None:
    """Refuse to serve strangers that nobody asks who they are.

    Raises:
        UnguardedError: There is no authentication, and others than this machine could reach the server, or the pages
            of every site could through a browser on it.
    """
    if not (access is None or isinstance(access, Anonymous)):
        return
    if not is_loopback(host):
        raise UnguardedError(
            f"a server without authentication would be open to whoever can reach {host or 'every interface'!r}: "
            "give `Server` an `access` (`ApiKeys`, `BearerJwt` or a function of your own), or listen on '127.0.0.1'"
        )
    if "*" in origins:
        raise UnguardedError(
            "a server without authentication would be open to every page that a browser on this machine shows: "
            "name them in `Sites(origins=…)` instead of '*', or give `Server` an `access`"
        )
