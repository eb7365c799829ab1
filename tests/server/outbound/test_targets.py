"""From what a client gave to where a connection may be made."""

from __future__ import annotations

import pytest

from tests.server.outbound.receivers import Names, rules
from treadle.errors import OutboundRefusedError
from treadle.server.outbound.targets import Target, addresses_of, system_resolve, target_of

STRICT = rules(allow_http=False, networks=())


def test_a_url_names_its_target() -> None:
    """RFC 3986: host, port, path with its query; what stands behind # is not sent."""
    said = target_of("https://Hooks.Example:8443/a/b?c=1#d", STRICT)
    assert said == Target(scheme="https", host="hooks.example", port=8443, path="/a/b?c=1")
    assert said.authority == "hooks.example:8443"
    assert target_of("https://hooks.example", STRICT).authority == "hooks.example"
    assert target_of("https://[2606:4700::1]/", STRICT).authority == "[2606:4700::1]"
    assert target_of("http://hooks.example", rules()).port == 80


@pytest.mark.requirement("OUT-guard")
@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example",
        "ftp://hooks.example",
        "file:///etc/passwd",
        "hooks.example",
        "https://",
        "https://user:word@hooks.example",
        "https://user@hooks.example",
        "https://hooks.example:99999",
        "https://[::1",
        "https://hooks.example/a b",
        "https://hooks.example/\r\nhost: other",
        "https://hooks.exämple",
        "https:\\\\hooks.example",
        "https://hooks.example/" + "a" * 2048,
    ],
)
def test_a_url_that_is_none_or_says_too_much_is_refused(url: str) -> None:
    """Ours: https alone unless allowed, no names in it, nothing that two readers take for two things."""
    with pytest.raises(OutboundRefusedError):
        target_of(url, STRICT)


@pytest.mark.requirement("OUT-guard")
@pytest.mark.parametrize(
    ("answers", "is_allowed"),
    [
        (["8.8.8.8"], True),
        (["8.8.8.8", "1.1.1.1"], True),
        (["8.8.8.8", "127.0.0.1"], False),
        (["::ffff:169.254.169.254"], False),
        (["10.0.0.1"], False),
        (["2606:4700::1", "fd00:ec2::254"], False),
    ],
)
async def test_every_address_of_a_name_is_looked_at(answers: list[str], is_allowed: bool) -> None:  # noqa: FBT001 (a column of a table)
    """Ours: one inner address among public ones refuses the name; which would be called is luck."""
    target = target_of("https://hooks.example", STRICT)
    names = Names({"hooks.example": [answers]})
    if is_allowed:
        assert await addresses_of(target, STRICT, names) == tuple(answers)
    else:
        with pytest.raises(OutboundRefusedError) as refused:
            await addresses_of(target, STRICT, names)
        assert not any(one in str(refused.value) for one in answers)


async def test_a_name_that_stands_for_nothing_is_not_found() -> None:
    """Ours: that may change, so it is no refusal."""
    target = target_of("https://hooks.example", STRICT)
    with pytest.raises(OSError, match="no address"):
        await addresses_of(target, STRICT, Names({"hooks.example": [[]]}))


@pytest.mark.requirement("OUT-guard")
@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "localhost"])
async def test_this_machine_is_known_under_every_name_that_the_system_takes_for_it(host: str) -> None:
    """Ours: what is checked is what the system would call, not how it is written."""
    with pytest.raises(OutboundRefusedError):
        await addresses_of(target_of(f"https://{host}", STRICT), STRICT, system_resolve)


async def test_a_name_that_cannot_be_one_is_not_found() -> None:
    """Ours: a label of 64 characters is no fault of this side."""
    with pytest.raises(OSError, match="no name of a host"):
        await system_resolve("a" * 64 + ".example", 443)
