"""API keys."""

from __future__ import annotations

import gc
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.access.connections import ALICE, BOB, connection
from treadle.errors import UnauthenticatedError
from treadle.server.access.api_keys import MIN_KEY_CHARS, ApiKeys

KEY = "key-of-alice-0123456789"
OTHER = "key-of-bob-9876543210"
WORDS = st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=MIN_KEY_CHARS, max_size=40)


@pytest.mark.requirement("ACCESS-keys")
async def test_a_key_says_who_asks_in_either_header() -> None:
    """Design: API keys are built in."""
    keys = ApiKeys({KEY: ALICE, OTHER: BOB})
    assert await keys(connection(("Authorization", f"Bearer {KEY}"))) is ALICE
    assert await keys(connection(("X-API-Key", OTHER))) is BOB


@pytest.mark.requirement("ACCESS-keys")
@pytest.mark.parametrize(
    ("headers", "challenge"),
    [
        ([], "Bearer"),
        ([("X-API-Key", KEY[:-1])], 'Bearer error="invalid_token"'),
        ([("X-API-Key", f"{KEY}x")], 'Bearer error="invalid_token"'),
        ([("X-API-Key", KEY), ("Authorization", f"Bearer {KEY}")], "Bearer"),
        ([("Cookie", f"key={KEY}")], "Bearer"),
    ],
)
async def test_whatever_is_no_key_is_refused_with_a_challenge(headers: list[tuple[str, str]], challenge: str) -> None:
    """HTTP: a 401 says what would be taken."""
    with pytest.raises(UnauthenticatedError) as told:
        await ApiKeys({KEY: ALICE})(connection(*headers))
    assert told.value.challenge == challenge
    assert KEY not in str(told.value)


@pytest.mark.requirement("ACCESS-keys")
@given(keys=st.dictionaries(WORDS, st.sampled_from([ALICE, BOB]), min_size=1, max_size=5), shown=WORDS)
def test_exactly_the_keys_of_the_table_are_taken(keys: dict[str, object], shown: str) -> None:
    """Ours: the table, for all tables."""
    table = ApiKeys(keys)  # type: ignore[arg-type]  # a strategy's own type
    for key in (*keys, shown):
        asked = table(connection(("X-API-Key", key)))
        with pytest.raises(StopIteration if key in keys else UnauthenticatedError) as told:
            asked.send(None)  # type: ignore[attr-defined]  # it never waits
        assert getattr(told.value, "value", None) is keys.get(key)


async def test_a_revoked_key_is_refused_and_the_others_are_not() -> None:
    """Ours: a key that leaked is taken back without a restart."""
    keys = ApiKeys({KEY: ALICE, OTHER: BOB})
    assert keys.revoke(KEY)
    assert not keys.revoke(KEY)
    with pytest.raises(UnauthenticatedError):
        await keys(connection(("X-API-Key", KEY)))
    assert await keys(connection(("X-API-Key", OTHER))) is BOB


@pytest.mark.parametrize("key", ["", "short", "x" * (MIN_KEY_CHARS - 1), "with a blank in the middle", "kéy" * 10])
def test_a_key_that_can_be_guessed_or_not_be_sent_is_refused_when_it_is_given(key: str) -> None:
    """Ours: a wrong table is told at the start, and without the key."""
    with pytest.raises(ValueError, match="API key") as told:
        ApiKeys({key: ALICE})
    assert not key or key not in str(told.value)


def test_an_empty_table_is_refused() -> None:
    """Ours: a table that was not loaded is a fault, not a server that nobody may use."""
    with pytest.raises(ValueError, match="came none"):
        ApiKeys({})


@pytest.mark.requirement("ACCESS-keys")
async def test_no_key_stands_in_a_printed_form_a_log_line_or_the_object(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: keys are hashed at rest in memory, and nothing prints them."""
    secret = "-".join(["canary", "of", "the", "table"])
    keys = ApiKeys({secret: ALICE})
    with caplog.at_level(logging.DEBUG):
        await keys(connection(("X-API-Key", secret)))
    assert secret not in f"{keys!r} {keys!s} {vars(keys)!r} {caplog.text}"
    assert not any(held == secret for held in gc.get_referents(*gc.get_referents(keys)) if isinstance(held, str))
