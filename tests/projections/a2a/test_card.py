"""Cards: what they say, for clients of both versions, and what they never say."""

from __future__ import annotations

import json

import pytest

from treadle.projections.a2a.card import CardFacts, Scheme, card
from treadle.projections.a2a.wire import EXTENSION

URL = "https://agents.example/a2a/calc"
KEYS = {
    "name",
    "description",
    "version",
    "supportedInterfaces",
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
    "protocolVersion",
    "url",
    "preferredTransport",
    "additionalInterfaces",
}


@pytest.mark.requirement("A2A-card")
def test_a_card_has_exactly_what_may_be_told() -> None:
    """A2A 1.0 and 0.3, discovery: the required members of both, and no other."""
    said = card("calc", url=URL, facts=CardFacts())
    assert set(said) == KEYS
    assert {name: value for name, value in said["capabilities"].items() if name != "extensions"} == {
        "streaming": True,
        "pushNotifications": False,
        "extendedAgentCard": False,
    }
    assert [(one["uri"], one["required"]) for one in said["capabilities"]["extensions"]] == [(EXTENSION, False)]
    assert [(one["protocolBinding"], one["protocolVersion"], one["url"]) for one in said["supportedInterfaces"]] == [
        ("JSONRPC", "1.0", URL),
        ("HTTP+JSON", "1.0", URL),
        ("JSONRPC", "0.3", URL),
        ("HTTP+JSON", "0.3", URL),
    ]
    assert (said["url"], said["protocolVersion"], said["preferredTransport"]) == (URL, "0.3.0", "JSONRPC")
    assert said["skills"] == [{"id": "calc", "name": "calc", "description": said["description"], "tags": ["agent"]}]


def test_a_card_says_what_it_was_given() -> None:
    """Ours: what an agent says of itself is written for strangers."""
    facts = CardFacts(description="Adds.", version="2.1", tags=("sums",))
    said = card("calc", url=URL, facts=facts, notifies=True)
    assert (said["description"], said["version"], said["skills"][0]["tags"]) == ("Adds.", "2.1", ["sums"])
    assert said["capabilities"]["pushNotifications"] is True


@pytest.mark.parametrize(
    ("scheme", "new", "old"),
    [
        (
            Scheme.API_KEY,
            {"apiKeySecurityScheme": {"name": "X-API-Key", "location": "header"}},
            {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        ),
        (
            Scheme.BEARER,
            {"httpAuthSecurityScheme": {"scheme": "bearer", "bearerFormat": "JWT"}},
            {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
        ),
    ],
)
def test_a_card_says_how_to_say_who_one_is(scheme: Scheme, new: dict[str, object], old: dict[str, object]) -> None:
    """A2A 1.0 and 0.3: each reads its own members of one object, as the official server merges them."""
    said = card("calc", url=URL, facts=CardFacts(), scheme=scheme)
    assert said["securitySchemes"][scheme.value] == {**new, **old}
    assert json.loads(json.dumps(said["securityRequirements"])) == [{"schemes": {scheme.value: {"list": []}}}]
    assert said["security"] == [{scheme.value: []}]
