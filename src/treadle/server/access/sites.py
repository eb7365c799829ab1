"""How a server is known in the world: the names it answers for, the sites whose pages may call it, its own address.

In: nothing. Out: values.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Sites:
    """The names and addresses of a server.

    Shape: `hosts` are the names it answers for; None: without `access` those of this machine, else any. `origins` are
        those whose pages may call it, such as `https://app.example`. `public_url` is the address under which others
        reach its application, where that has to be written into an answer: a proxy's, not the one it listens at.

    Raises:
        ValueError: `public_url` is no address of the web.
    """

    hosts: Collection[str] | None = None
    origins: Collection[str] = ()
    public_url: str | None = None

    def __post_init__(self) -> None:
        if self.public_url is None:
            return
        named = urlsplit(self.public_url)
        if named.scheme not in ("http", "https") or not named.netloc or named.query or named.fragment:
            raise ValueError(f"public_url is an address such as 'https://agents.example', not {self.public_url!r}")
        object.__setattr__(self, "public_url", self.public_url.rstrip("/"))
