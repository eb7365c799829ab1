"""Which addresses may be called on behalf of a stranger: public ones of single machines, and no others.

In: an address as a name server or a client gave it. Out: yes or no. Asks nobody.

Source: IANA special-purpose address registries (IPv4, IPv6); the addresses at which clouds answer their own machines.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

# A table of our own: what Python counts as private differs from one of its versions to the next.
_NOT_PUBLIC: Final = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "168.63.129.16/32",  # public by number, and a cloud's own host to its machines
        "::/96",
        "::ffff:0:0:0/96",
        "64:ff9b:1::/48",
        "100::/64",
        "100:0:0:1::/64",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",  # 6to4, out of use: through it lies whichever IPv4 address it names
        "2620:4f:8000::/48",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
_NAT64: Final = ip_network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Whether this is a single machine's address that anybody may call. One that holds another is judged as that."""
    held = _held(address)
    if held is not None:
        return is_public(held)
    return not any(address.version == one.version and address in one for one in _NOT_PUBLIC)


def may_be_called(text: str, allowed: Collection[Network] = ()) -> bool:
    """Whether an address may be called: a public one, or one of the networks that were allowed by name."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    said = mapped or address
    return is_public(address) or any(said.version == one.version and said in one for one in allowed)


def _held(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for, or leads to."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
