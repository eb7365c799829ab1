"""Which hosts are this machine alone.

In: a host as it is bound to, connected from, or named in a header. Out: yes or no. Asks no name server: what a name
resolves to may change.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens on this host. An empty host is every interface."""
    name = host.strip().lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = _address(name)
    return address is not None and _is_own(address)


@lru_cache(maxsize=256)
def is_foreign_address(host: str) -> bool:
    """Whether this is an address, and another machine's. A socket file has none, and a name proves nothing."""
    address = _address(host)
    return address is not None and not _is_own(address)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


def _is_own(address: IPv4Address | IPv6Address) -> bool:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
