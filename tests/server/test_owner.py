"""The door for commands on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import GATED
from tests.server.calls import JSON, Call, ask, started
from treadle.app.server import Server
from treadle.server.access.api_keys import ApiKeys
from treadle.server.access.principal import Principal
from treadle.server.pulse import Rhythm

ADDRESS = "http://127.0.0.1:1"
KEY = "a-key-0123456789abcdefgh"


def token_in(folder: Path) -> tuple[str, str]:
    """The header that opens the door, as the file beside the store says."""
    token = (folder / "runs.db.token").read_text(encoding="ascii").strip()
    return ("authorization", f"Bearer {token}")


async def asked(server: Server, name: str, *headers: tuple[str, str], **question: Any) -> Call:  # noqa: ANN401 (any JSON)
    """Ask the owner."""
    return await ask(server.asgi, "POST", f"/v1/owner/{name}", JSON, *headers, body=question)


@pytest.mark.requirement("SERVE-owner")
async def test_the_door_opens_to_the_token_beside_the_store_and_to_nothing_else(tmp_path: Path) -> None:
    """Issue: URL and token beside the lock; 0600."""
    access = ApiKeys({KEY: Principal(name="alice", scope="acme")})
    async with Server([scripted("text: ok")], store=f"sqlite:///{tmp_path / 'runs.db'}", access=access) as server:
        assert (await asked(server, "find", ("authorization", "Bearer x"))).status == 404
        server.serves_at(ADDRESS)
        told = json.loads((tmp_path / "runs.db.lock").read_text())
        assert told["url"] == ADDRESS
        assert (tmp_path / "runs.db.token").stat().st_mode & 0o777 == 0o600
        token = token_in(tmp_path)
        assert token[1].removeprefix("Bearer ") not in json.dumps(told)
        assert (await asked(server, "find", token)).json == []
        for headers in ([], [("authorization", "Bearer x")], [("x-api-key", KEY)]):
            assert (await asked(server, "find", *headers)).status == 401
        assert (await asked(server, "claim", token)).status == 404
        assert (await ask(server.asgi, "GET", "/v1/owner/find", token)).status == 405
    assert not (tmp_path / "runs.db.token").exists()


async def test_commands_see_every_scope_and_a_stop_is_heard_at_once(tmp_path: Path) -> None:
    """Ours: whoever can read the file can see all runs in it."""
    access = ApiKeys({KEY: Principal(name="alice", scope="acme")})
    async with Server(
        [scripted(GATED)], store=f"sqlite:///{tmp_path / 'runs.db'}", access=access, rhythm=Rhythm(drain_s=0)
    ) as server:
        server.serves_at(ADDRESS)
        token = token_in(tmp_path)
        run_id = await started(server.asgi, "hi", ("x-api-key", KEY))
        place = {"scope": "acme", "run_id": run_id}
        assert (await asked(server, "state", token, **place)).json["scope"] == "acme"
        assert (await asked(server, "send", token, **place, key="cancel", kind="cancel")).json is True
        view = await server.runner.within("acme").wait(run_id)
        assert view.state == "cancelled"
        final = await asked(server, "send", token, **place, key="again", kind="cancel")
        assert (final.status, final.json["code"]) == (409, "run_final")


async def test_what_the_store_refuses_is_told_whole_and_before_the_first_line(tmp_path: Path) -> None:
    """Ours: whoever asks may read the file itself, so nothing is kept from it."""
    async with Server([scripted("text: ok")], store=f"sqlite:///{tmp_path / 'runs.db'}") as server:
        server.serves_at(ADDRESS)
        token = token_in(tmp_path)
        missing = await asked(server, "export", token, run_ids=["r_0"])
        assert (missing.status, missing.json["code"]) == (409, "run_not_found")
        assert "r_0" in missing.json["message"]
        odd = await ask(server.asgi, "POST", "/v1/owner/state", JSON, token, body=b"[]")
        assert (odd.status, odd.json["code"]) == (409, "record_format")


async def test_a_store_that_tells_nobody_where_it_is_has_no_door() -> None:
    """Ours: runs in memory are seen by their own process alone."""
    async with Server([scripted("text: ok")]) as server:
        server.serves_at(ADDRESS)
        assert (await asked(server, "find")).status == 404
