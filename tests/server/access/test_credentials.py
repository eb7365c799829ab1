"""What a request carries to prove who asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.access.connections import connection
from treadle.errors import UnauthenticatedError
from treadle.server.access.credentials import MAX_CREDENTIAL_CHARS, api_key_of, bearer_of

LATIN = st.text(alphabet=st.characters(max_codepoint=255), max_size=40)


@pytest.mark.parametrize("header", ["Bearer abc", "bearer abc", "BEARER  abc ", "\tBearer abc"])
def test_a_bearer_token_is_found_however_its_scheme_is_written(header: str) -> None:
    """HTTP: the name of a scheme is compared without case."""
    assert bearer_of(connection(("Authorization", header))) == "abc"


def test_without_the_header_there_is_no_credential() -> None:
    """Ours: that nobody says who they are is not the same as saying it wrongly."""
    assert bearer_of(connection()) is None
    assert api_key_of(connection()) is None


@pytest.mark.requirement("ACCESS-headers")
@pytest.mark.parametrize(
    "headers",
    [
        [("Authorization", "Basic dXNlcg==")],
        [("Authorization", "Bearer")],
        [("Authorization", "Bearer ")],
        [("Authorization", "Bearer a b")],
        [("Authorization", "Bearer a\x00")],
        [("Authorization", "Bearer é")],
        [("Authorization", "Bearer " + "a" * (MAX_CREDENTIAL_CHARS + 1))],
        [("Authorization", "Bearer a"), ("Authorization", "Bearer b")],
    ],
)
def test_a_header_that_is_no_bearer_token_is_refused(headers: list[tuple[str, str]]) -> None:
    """Ours: two readers of an odd header could find two different tokens in it."""
    with pytest.raises(UnauthenticatedError) as told:
        bearer_of(connection(*headers))
    assert told.value.challenge == "Bearer"


@pytest.mark.requirement("ACCESS-headers")
@given(st.lists(st.tuples(st.sampled_from(["authorization", "x-api-key", "cookie"]), LATIN), max_size=3))
def test_any_headers_give_a_credential_none_or_a_typed_refusal(headers: list[tuple[str, str]]) -> None:
    """Ours: no header ends a request in a failure of this side, and no refusal repeats a credential."""
    for read in (bearer_of, api_key_of):
        try:
            found, words = read(connection(*headers)), ""
        except UnauthenticatedError as told:
            found, words = None, str(told)
        assert not any(text in words for _, text in headers if len(text) > 20)
        assert found is None or (found.isascii() and found.isprintable() and found)
