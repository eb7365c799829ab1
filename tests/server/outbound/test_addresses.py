"""Which addresses may be called."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.server.outbound.addresses import is_public, may_be_called

INNER = (
    "127.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "0.0.0.0",
    "198.18.0.1",
    "203.0.113.7",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "100::1",
    "fec0::1",
)


@pytest.mark.requirement("OUT-guard")
@pytest.mark.parametrize("text", INNER)
def test_no_inner_address_may_be_called_in_any_guise(text: str) -> None:
    """IANA's registries and the clouds' own addresses; also mapped, tunnelled and translated into IPv6."""
    assert not may_be_called(text)
    assert not may_be_called(f"{text}%eth0")
    address = ip_address(text)
    if address.version == 4:
        number = int(address)
        for guise in (
            f"::ffff:{text}",
            str(ip_address((0x2002 << 112) | (number << 80))),
            str(ip_address((0x64FF9B << 96) | number)),
        ):
            assert not may_be_called(guise), guise


@pytest.mark.requirement("OUT-guard")
@pytest.mark.parametrize("text", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8"])
def test_an_address_of_the_world_may_be_called(text: str) -> None:
    """Ours: a guard that refuses everybody guards nothing."""
    assert may_be_called(text)


@given(st.ip_addresses())
def test_what_python_counts_as_private_is_never_public(address: object) -> None:
    """Ours: our table holds at least what the standard library knows."""
    told = ip_address(str(address))
    if told.is_private or told.is_loopback or told.is_link_local or told.is_multicast or told.is_unspecified:
        assert not is_public(told)


def test_a_network_that_was_allowed_by_name_may_be_called() -> None:
    """Ours: an operator with receivers inside names their network, and no other is opened with it."""
    allowed = (ip_network("10.1.0.0/16"), ip_network("fd00::/8"))
    assert may_be_called("10.1.2.3", allowed)
    assert may_be_called("::ffff:10.1.2.3", allowed)
    assert may_be_called("fd00::1", allowed)
    assert not may_be_called("10.2.0.1", allowed)


@pytest.mark.parametrize("text", ["", "localhost", "1.2.3", "0x7f000001"])
def test_what_is_no_address_may_not_be_called(text: str) -> None:
    """Ours: a name is resolved first."""
    assert not may_be_called(text)
