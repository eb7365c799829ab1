"""Cards over HTTP: where they stand, whom they tell what, and which address is in them."""

from __future__ import annotations

import json

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from tests.server.calls import ask
from treadle.app.server import Server
from treadle.projections.a2a.card import CardFacts
from treadle.server.access import ApiKeys, BearerJwt, Principal
from treadle.server.access.sites import Sites
from treadle.server.mounting import Mount
from treadle.server.wires.a2a import A2aSettings
from treadle.server.wires.a2a.card import PLACES

ACCESS = ApiKeys({"key-of-ann-0123456789": Principal(name="ann", scope="acme")})


@pytest.mark.requirement("BR-156")
@virtually
async def test_a_card_stands_at_both_places_and_is_open_to_everybody() -> None:
    """BR-156: clients of all ages find it; only the card is anonymous, told of the middleware actually mounted."""
    known = Sites(public_url="https://agents.example/base/")
    async with Server([scripted("text: ok")], access=ACCESS, sites=known) as server:
        cards = [await ask(server.asgi, "GET", f"/a2a/a{place}") for place in PLACES]
        missing = await ask(server.asgi, "GET", f"/a2a/b{PLACES[0]}")
        task = await ask(server.asgi, "GET", "/a2a/b/tasks/r_no", ("a2a-version", "1.0"))
    assert [card.status for card in cards] == [200, 200]
    assert cards[0].json == cards[1].json
    assert cards[0].json["url"] == "https://agents.example/base/a2a/a"
    assert cards[0].json["security"] == [{"apiKey": []}]
    assert missing.status == 404
    assert task.status == 401


@pytest.mark.requirement("BR-157")
@pytest.mark.parametrize(
    ("host", "root", "url"),
    [
        ("localhost:8000", "", "http://localhost:8000/a2a/a"),
        ("127.0.0.1:8000", "/agents", "http://127.0.0.1:8000/agents/a2a/a"),
        ("[::1]:8000", "", "http://[::1]:8000/a2a/a"),
        ("evil.example", "", None),
        ("0.0.0.0:8000", "", None),
        ("10.0.0.7", "", None),
    ],
)
@virtually
async def test_an_address_that_was_not_configured_is_this_machines_or_none(
    host: str, root: str, url: str | None
) -> None:
    """BR-157: never the address that it binds to, and never one that a stranger wrote into a header."""
    async with Server([scripted("text: ok")], access=ACCESS) as server:
        call = await ask(server.asgi, "GET", f"/a2a/a{PLACES[0]}", ("host", host), root_path=root)
    if url is None:
        assert (call.status, "public_url" in call.json["message"]) == (400, True)
    else:
        assert call.json["url"] == url


@pytest.mark.requirement("A2A-canary", "D40")
@virtually
async def test_nothing_of_what_an_agent_is_made_of_stands_in_its_card() -> None:
    """Reference: canaries in instructions, model, tools and keys are in no card."""
    agent = scripted("text: ok", instructions="canary-instructions")
    settings = A2aSettings(cards={"a": CardFacts(description="Adds.")})
    bearer = BearerJwt(key="canary-secret-of-at-least-32-bytes!!", algorithms=["HS256"])
    async with Server([agent], access=bearer, mounts=[Mount(wire="a2a", settings=settings)]) as server:
        card = (await ask(server.asgi, "GET", f"/a2a/a{PLACES[0]}")).json
    text = json.dumps(card)
    for canary in ("canary", "scripted", '"add"', "Add two numbers"):
        assert canary not in text
    assert card["description"] == "Adds."
    assert card["securitySchemes"]["bearer"]["bearerFormat"] == "JWT"


@virtually
async def test_what_asks_is_told_only_where_it_is_known() -> None:
    """Reference: none at all for unknown mechanisms."""

    def mine(_: object) -> Principal:
        return Principal(name="ann", scope="acme")

    async with Server([scripted("text: ok")], access=mine) as server:
        card = (await ask(server.asgi, "GET", f"/a2a/a{PLACES[0]}")).json
    assert not {"security", "securitySchemes", "securityRequirements"} & set(card)
