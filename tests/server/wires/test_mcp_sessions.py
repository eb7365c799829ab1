"""Sessions of MCP's earlier versions: bounded, and of use to whoever opened them alone."""

from __future__ import annotations

import pytest

from treadle.projections.mcp.telling import Telling
from treadle.server.access.principal import Principal
from treadle.server.wires import mcp_sessions
from treadle.server.wires.mcp_sessions import MOST_CALLS, MOST_OF_ONE, Session, Sessions
from treadle.values.ids import RunId

ALICE, BOB = Principal(name="alice", scope="acme"), Principal(name="bob", scope="acme")


def opened(sessions: Sessions, who: Principal = ALICE) -> Session:
    """One more session."""
    return sessions.begin(who, "a", version="2025-11-25", can_ask=True)


def telling(number: int) -> Telling:
    """How the call of this request is told."""
    return Telling(id_json=str(number), version="2025-11-25")


@pytest.mark.requirement("MCP-session")
def test_the_oldest_session_of_a_principal_is_forgotten_first() -> None:
    """Ours: what a client opens and never ends is bounded, and costs nobody else anything."""
    sessions = Sessions()
    bobs = opened(sessions, BOB)
    mine = [opened(sessions) for _ in range(MOST_OF_ONE)]
    assert sessions.find(mine[0].name, ALICE, "a") is mine[0]
    opened(sessions)
    assert len(sessions) == MOST_OF_ONE + 1
    kept = [sessions.find(one.name, one.principal, "a") is one for one in (bobs, mine[0], mine[1], mine[2])]
    assert kept == [True, True, False, True]


@pytest.mark.requirement("MCP-session")
def test_so_are_the_sessions_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: principals are many."""
    monkeypatch.setattr(mcp_sessions, "MOST", 3)
    sessions = Sessions()
    made = [opened(sessions, Principal(name=f"p{number}", scope="acme")) for number in range(4)]
    assert [sessions.find(one.name, one.principal, "a") is one for one in made] == [False, True, True, True]
    sessions.end(made[3])
    sessions.end(made[3])
    assert len(sessions) == 2


def test_names_are_not_guessed() -> None:
    """MCP: a session's id is drawn, of visible ASCII."""
    sessions = Sessions()
    names = {opened(sessions).name for _ in range(50)}
    assert len(names) == 50
    assert all(len(name) >= 32 and name.isascii() and name.isprintable() and " " not in name for name in names)


@pytest.mark.requirement("MCP-session")
def test_the_oldest_call_of_a_session_is_forgotten_first() -> None:
    """Ours: a session that lasts is bounded too."""
    session = opened(Sessions())
    calls = [session.begin(RunId(f"r{number}"), telling(number)) for number in range(MOST_CALLS + 1)]
    assert [call.number for call in calls[:3]] == [1, 2, 3]
    assert (session.call("0"), session.numbered(1), session.call_of(RunId("r0"))) == (None, None, None)
    last = calls[-1]
    assert session.call(str(MOST_CALLS)) is session.numbered(last.number) is session.call_of(last.run_id) is last


def test_a_request_that_is_repeated_is_the_same_call_unless_it_is_another_run() -> None:
    """Ours: ids of events go on to mean what they meant."""
    session = opened(Sessions())
    first = session.begin(RunId("r1"), telling(1))
    assert session.begin(RunId("r1"), telling(1)) is first
    other = session.begin(RunId("r2"), telling(1))
    assert (other.number, session.call("1"), session.numbered(1)) == (2, other, None)
