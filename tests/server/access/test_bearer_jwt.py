"""Tokens that somebody else signed."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.access.connections import connection
from tests.server.access.tokens import (
    AUDIENCE,
    ISSUER,
    SECRET,
    claims,
    ec_key,
    private_pem,
    public_pem,
    rsa_key,
    shown,
    signed,
)
from treadle.errors import UnauthenticatedError
from treadle.server.access.bearer_jwt import LEEWAY_S, MAX_CLAIM_CHARS, BearerJwt
from treadle.server.access.principal import Action

INVALID = 'Bearer error="invalid_token"'
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def bearer(**changed: Any) -> BearerJwt:  # noqa: ANN401 (whatever is tried)
    """An authenticator over a secret."""
    return BearerJwt(**{"key": SECRET, "algorithms": ["HS256"], "audience": AUDIENCE, "issuer": ISSUER, **changed})


def raw(header: object, payload: object, key: str | bytes = SECRET) -> str:
    """A token with any header and any payload, signed as HS256 whatever it says."""
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (header, payload)]
    secret = key if isinstance(key, bytes) else key.encode()
    signature = hmac.new(secret, b".".join(parts), hashlib.sha256).digest()
    return b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()


@pytest.mark.requirement("ACCESS-jwt")
async def test_a_good_token_says_who_asks_and_until_when() -> None:
    """Design: bearer JWT is built in."""
    exp = claims()["exp"]
    found = await bearer(scope_claim="tenant", may={Action.READ})(shown(signed(exp=exp)))
    assert (found.name, found.scope, found.may) == ("alice", "acme", {Action.READ})
    assert found.until_s == exp + LEEWAY_S


async def test_where_nothing_is_said_everybody_has_a_scope_of_their_own() -> None:
    """Ours: to share runs is a choice."""
    assert (await bearer()(shown(signed()))).scope == "alice"


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [(rsa_key, "RS256"), (rsa_key, "PS256"), (ec_key, "ES256")],
)
async def test_a_token_is_checked_with_a_public_key(key: Callable[[], Any], algorithm: str) -> None:
    """JWT: whoever signs keeps the private half."""
    access = bearer(key=public_pem(key()), algorithms=[algorithm])
    assert (await access(shown(signed(key(), algorithm)))).name == "alice"


@pytest.mark.requirement("ACCESS-jwt")
@pytest.mark.parametrize(
    "token",
    [
        pytest.param(signed("another-secret-" * 4), id="another key"),
        pytest.param(signed(SECRET * 2, "HS512"), id="another algorithm"),
        pytest.param(jwt.encode(claims(), None, algorithm="none"), id="none"),
        pytest.param(raw({"alg": "none"}, claims()), id="none, with a signature"),
        pytest.param(raw({"alg": "None"}, claims()), id="none, spelled otherwise"),
        pytest.param(raw({}, claims()), id="no algorithm"),
        pytest.param(signed(exp=None), id="no end"),
        pytest.param(signed(exp=1), id="over"),
        pytest.param(signed(exp="soon"), id="an end that is no time"),
        pytest.param(signed(nbf=2**40), id="not yet"),
        pytest.param(signed(iat=2**40), id="issued in the future"),
        pytest.param(signed(aud="other"), id="for somebody else"),
        pytest.param(signed(aud=None), id="for nobody"),
        pytest.param(signed(iss="https://evil.example"), id="of another issuer"),
        pytest.param(signed(iss=None), id="of no issuer"),
        pytest.param(signed(sub=None), id="without a subject"),
        pytest.param(signed(sub=""), id="with an empty subject"),
        pytest.param(signed(sub="a" * (MAX_CLAIM_CHARS + 1)), id="with an endless subject"),
        pytest.param(raw({"alg": "HS256"}, claims(sub=7)), id="with a number for a subject"),
        pytest.param(raw({"alg": "HS256", "crit": ["b64"], "b64": False}, claims()), id="detached"),
        pytest.param(signed()[:-2], id="cut"),
        pytest.param(f"{signed()}.x", id="longer"),
        pytest.param("abc", id="no token"),
        pytest.param("..", id="three nothings"),
    ],
)
async def test_whatever_is_not_what_it_has_to_be_is_refused(token: str) -> None:
    """Ours, and what JWT libraries were broken by: no `none`, no other key, an end always."""
    with pytest.raises(UnauthenticatedError) as told:
        await bearer()(shown(token))
    assert told.value.challenge == INVALID
    assert SECRET not in str(told.value)
    assert told.value.__cause__ is None


@pytest.mark.requirement("ACCESS-jwt")
@pytest.mark.parametrize("algorithm", ["HS256", "RS256"])
async def test_a_public_key_is_never_taken_for_a_secret(algorithm: str) -> None:
    """Algorithm confusion: a token that is signed with the text of the public key as a secret."""
    pem = public_pem(rsa_key())
    with pytest.raises(UnauthenticatedError):
        await bearer(key=pem, algorithms=["RS256"])(shown(raw({"alg": algorithm}, claims(), pem)))


@pytest.mark.parametrize("headers", [[], [("X-API-Key", signed())]])
async def test_without_a_bearer_token_there_is_a_challenge(headers: Sequence[tuple[str, str]]) -> None:
    """HTTP: a 401 says what would be taken."""
    with pytest.raises(UnauthenticatedError) as told:
        await bearer()(connection(*headers))
    assert told.value.challenge == "Bearer"


@pytest.mark.slow
@pytest.mark.requirement("ACCESS-headers")
@given(header=JSON, payload=JSON, changed=st.dictionaries(st.sampled_from(list(claims())), JSON))
def test_any_signed_content_is_a_principal_or_a_typed_refusal(
    header: object, payload: object, changed: dict[str, Any]
) -> None:
    """Ours: whoever signs may sign anything; nothing of it ends a request in a failure of this side."""
    access = bearer()
    for token in (raw(header, payload), raw({"alg": "HS256"}, payload), raw({"alg": "HS256"}, {**claims(), **changed})):
        try:
            found = asyncio.run(access(shown(token)))
        except UnauthenticatedError:
            continue
        assert found.name
        assert found.until_s is not None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"key": None}, "a key or the address"),
        ({"jwks": "https://issuer.example/keys"}, "a key or the address"),
        ({"algorithms": []}, "expected algorithms"),
        ({"algorithms": ["none"]}, "expected algorithms"),
        ({"algorithms": ["HS256", "none"]}, "expected algorithms"),
        ({"algorithms": ["HS1"]}, "expected algorithms"),
        ({"algorithms": ["HS256", "RS256"]}, "of one kind"),
        ({"algorithms": ["HS256"], "key": "short"}, "32 bytes"),
        ({"algorithms": ["HS512"], "key": "x" * 63}, "64 bytes"),
        ({"algorithms": ["HS256"], "key": public_pem(rsa_key())}, "does not fit"),
        ({"algorithms": ["RS256"]}, "does not fit"),
        ({"algorithms": ["RS256"], "key": public_pem(ec_key())}, "does not fit"),
        ({"algorithms": ["HS256"], "key": None, "jwks": "https://issuer.example/keys"}, "public keys"),
    ],
)
def test_a_rule_that_lets_too_much_in_is_refused_at_the_start(wrong: dict[str, Any], words: str) -> None:
    """Ours: a mistake in what may sign is one that nobody sees later."""
    with pytest.raises(ValueError, match=words) as told:
        bearer(**wrong)
    assert SECRET not in str(told.value)


def test_one_text_is_no_list_of_algorithms() -> None:
    """Ours: the letters of a text would each be looked for."""
    with pytest.raises(TypeError, match="HS256"):
        bearer(algorithms="HS256")


def test_no_key_stands_in_its_printed_form() -> None:
    """Ours: settings are printed and logged."""
    assert SECRET not in repr(bearer())
    assert "BEGIN" not in repr(bearer(key=private_pem(rsa_key()), algorithms=["RS256"]))
