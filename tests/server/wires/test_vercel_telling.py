"""How a run is told as a UI message, from what is stored of it."""

from __future__ import annotations

from tests.projections.a2a.samples import QUESTION
from treadle.projections.vercel.project import ResponseOptions
from treadle.server.wires.vercel_telling import Begins, goes_on, no_token, response_telling
from treadle.values.exposure import UI
from treadle.values.pauses import PauseKind


def test_what_asks_is_told_apart_by_whom_it_asks() -> None:
    """docs/protocols/vercel.md: the page runs its own tools, and a person answers questions."""
    asks = {"pick": PauseKind.FRONT_END, "ask": PauseKind.ASK_USER, "pay": PauseKind.APPROVAL}
    told = response_telling(Begins(live_from=0), token_of=no_token, asks=asks, resets=True, exposure=UI)
    assert told.options == ResponseOptions(
        token_of=no_token, page=frozenset({"pick"}), person=frozenset({"ask"}), resets=True
    )
    assert no_token(QUESTION) is None


def test_what_follows_an_answer_begins_behind_the_pause() -> None:
    """docs/protocols/vercel.md: nothing of what the message holds already is told again."""
    named = frozenset({QUESTION.interrupt_id})
    assert goes_on(4, named) == Begins(after=4, live_from=5, answered=named)
