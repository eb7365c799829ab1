"""Tokens of pauses."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.codec.pause_tokens import (
    LEAST_SECRET_BYTES,
    LONGEST_TOKEN,
    TokenKeys,
    claims_for,
    claims_of,
    interrupt_named_in,
    token_for,
)
from treadle.errors import RunNotFoundError, TokenInvalidError
from treadle.values.ids import CallId, RunId, interrupt_id
from treadle.values.pauses import PauseKind, PendingInterrupt

KEYS = TokenKeys(b"k" * LEAST_SECRET_BYTES)
OTHER = TokenKeys(b"o" * LEAST_SECRET_BYTES)
PAUSE = PendingInterrupt(
    interrupt_id=interrupt_id(RunId("r_1"), 2),
    kind=PauseKind.APPROVAL,
    call_id=CallId("r_1.c1"),
    arguments_digest="ab" * 32,
    expires_at=1_700_000_000.25,
)
TOKEN = token_for(PAUSE, scope="acme", keys=KEYS)

texts = st.text(max_size=6)
pauses = st.builds(
    PendingInterrupt,
    interrupt_id=st.builds(lambda run, number: interrupt_id(RunId(run), number), texts, st.integers(1, 99)),
    kind=st.just(PauseKind.INTERRUPT),
    call_id=st.just(CallId("c")),
    arguments_digest=texts,
    expires_at=st.none() | st.integers(0, 4_000_000_000).map(float),
)


@pytest.mark.requirement("PAUSE-token")
@given(pauses, texts)
def test_a_token_says_what_it_is_bound_to_and_is_the_same_whenever_it_is_derived(
    pause: PendingInterrupt, scope: str
) -> None:
    """Design: derived, never stored."""
    token = token_for(pause, scope=scope, keys=KEYS)
    assert token == token_for(pause, scope=scope, keys=KEYS)
    claims = claims_of(token, scope=scope, keys=KEYS)
    assert claims == claims_for(pause)
    assert claims.run_id == pause.interrupt_id.rpartition(".i")[0]
    assert token.isascii()
    assert set(token) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.requirement("PAUSE-token")
@given(pauses, pauses, texts, texts)
def test_two_pauses_have_one_token_only_if_they_are_one(
    one: PendingInterrupt, other: PendingInterrupt, scope: str, foreign: str
) -> None:
    """Design: run, interrupt, scope, digest and expiry are all bound, and no two are written alike."""
    same = (claims_for(one), scope) == (claims_for(other), foreign)
    tokens = token_for(one, scope=scope, keys=KEYS), token_for(other, scope=foreign, keys=KEYS)
    assert (tokens[0] == tokens[1]) is same


@pytest.mark.requirement("PAUSE-token")
@given(st.data())
def test_a_token_that_was_changed_anywhere_is_none(data: st.DataObject) -> None:
    """Promise 7: forging is refused, whatever is changed, added or left out."""
    raw = bytearray(base64.urlsafe_b64decode(TOKEN + "=" * (-len(TOKEN) % 4)))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    forged = base64.urlsafe_b64encode(bytes(raw)).rstrip(b"=").decode()
    for token in (forged, TOKEN[:-1], TOKEN + "A", TOKEN + "=", f" {TOKEN}", TOKEN + "\n"):
        with pytest.raises(TokenInvalidError):
            claims_of(token, scope="acme", keys=KEYS)


@pytest.mark.requirement("PAUSE-token")
@given(st.text(max_size=200) | st.just("A" * (LONGEST_TOKEN + 1)) | st.just("A" * 300))
def test_what_is_no_token_is_refused_and_breaks_nothing(text: str) -> None:
    """Ours: anybody may send anything."""
    with pytest.raises(TokenInvalidError):
        claims_of(text, scope="acme", keys=KEYS)


@pytest.mark.requirement("PAUSE-token")
def test_a_token_of_another_scope_is_of_a_run_that_is_not_there() -> None:
    """Design: wrong scope as not found; reference D16: ("a", "b:") is not ("a:", "b")."""
    with pytest.raises(RunNotFoundError):
        claims_of(TOKEN, scope="acme2", keys=KEYS)
    with pytest.raises(TokenInvalidError):
        claims_of(TOKEN, scope="acme", keys=OTHER)


@pytest.mark.requirement("PAUSE-secret")
def test_a_token_of_the_key_before_still_holds_and_none_is_made_of_it() -> None:
    """Design: two keys for rotation."""
    rotated = TokenKeys(OTHER.now, before=KEYS.now)
    assert claims_of(TOKEN, scope="acme", keys=rotated) == claims_for(PAUSE)
    fresh = token_for(PAUSE, scope="acme", keys=rotated)
    assert fresh != TOKEN
    assert claims_of(fresh, scope="acme", keys=OTHER) == claims_for(PAUSE)
    with pytest.raises(TokenInvalidError):
        claims_of(fresh, scope="acme", keys=KEYS)


@pytest.mark.requirement("PAUSE-secret")
def test_a_secret_is_long_and_shows_nowhere() -> None:
    """Design: at least 32 bytes; keys never enter logs."""
    with pytest.raises(ValueError, match="32 bytes"):
        TokenKeys(b"short")
    with pytest.raises(ValueError, match="32 bytes"):
        TokenKeys(KEYS.now, before=b"")
    assert "kkk" not in repr(KEYS)


def test_a_pause_that_never_expires_has_a_token_too() -> None:
    """Ours: None is for ever, and not the beginning of time."""
    for_ever = replace(PAUSE, expires_at=None)
    claims = claims_of(token_for(for_ever, scope="acme", keys=KEYS), scope="acme", keys=KEYS)
    assert claims.expires_ms is None


def test_a_wire_that_carries_one_id_carries_the_token_as_that_id() -> None:
    """Design §7: where a wire cannot carry a token, its id field is the token; what it names is not yet proved."""
    assert interrupt_named_in(TOKEN) == PAUSE.interrupt_id
    assert interrupt_named_in(token_for(PAUSE, scope="acme", keys=OTHER)) == PAUSE.interrupt_id
    raw = base64.urlsafe_b64decode(TOKEN + "=" * (-len(TOKEN) % 4)) + b"\xff"
    for text in ("", "i1", base64.urlsafe_b64encode(raw).rstrip(b"=").decode()):
        with pytest.raises(TokenInvalidError):
            interrupt_named_in(text)
