"""Every wire, as a stored run is played back in it.

In: a run, and what is its reader's own: what came with requests, and stands in no log. Out: the responses that the
requests were answered with, told as the mounts tell them.

Source: docs/cli.md (replay).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from treadle.errors import BadRequestError, PlanError
from treadle.projections.a2a.parse import VERSIONS
from treadle.projections.a2a.rpc import BEHIND, Call
from treadle.projections.a2a.wire import Shape
from treadle.projections.agui.parse import RunAgentInput, held_in
from treadle.projections.agui.telling import Telling as AguiTelling
from treadle.projections.mcp.telling import Telling as McpTelling
from treadle.projections.mcp.wire import HANDSHAKE, MODERN
from treadle.projections.plain.wire import Integers
from treadle.server.delivery import NDJSON, SSE, PlainForm
from treadle.server.folded_feed import sse_framed
from treadle.server.replaying import Played, PlayedEvents, PlayedTelling, StoredRun, Tokens
from treadle.server.start_request import read_body
from treadle.server.wires import a2a, agui, agui_telling, mcp, mcp_telling, openai, vercel, vercel_telling
from treadle.server.wires.a2a import telling as a2a_telling
from treadle.server.wires.mcp_sessions import SessionCall
from treadle.server.wires.openai_chat import chat_options, chat_telling
from treadle.server.wires.openai_request import Begun, Reader
from treadle.server.wires.openai_responses import response_options, response_telling
from treadle.server.wires.replay_values import Own
from treadle.server.wires.vercel_telling import no_token
from treadle.values.exposure import OPAQUE, TEXT_ONLY, UI, Exposure
from treadle.values.ids import InterruptId
from treadle.values.pauses import PauseKind, PendingInterrupt

EXPOSURES: Final[Mapping[str, Exposure]] = {
    "ui": UI,
    "text-only": TEXT_ONLY,
    "opaque": OPAQUE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """One run, to be told to one reader."""

    run: StoredRun
    own: Own
    tokens: Tokens
    wire_exposure: Exposure

    @property
    def exposure(self) -> Exposure:
        """What may be told: as a mount of the wire's own default does, unless it is said otherwise."""
        if "exposure" not in self.own.values:
            return self.wire_exposure
        return EXPOSURES[self.own.word("exposure", "", tuple(EXPOSURES))]

    @property
    def may_answer(self) -> bool:
        """Whether the reader is given tokens."""
        return self.own.flag("may_answer", without=True)

    @property
    def token_of(self) -> Callable[[PendingInterrupt], str | None]:
        """The tokens that the reader is given."""
        return self.tokens.of if self.may_answer else no_token


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """How a wire is played back.

    Shape: `own` are the values that are a reader's own, each with what is taken without it, in words.
    """

    own: Mapping[str, str]
    exposure: Exposure
    responses: Callable[[Playing], Sequence[Played]]


def responses(wire: str, run: StoredRun, *, own: Mapping[str, str], tokens: Tokens) -> Sequence[Played]:
    """The responses that a run was told in, of a reader with these values.

    Raises:
        PlanError: There is no such wire, it knows no such value, or a value is none that it takes.
    """
    if wire not in REPLAYS:
        raise PlanError((f"no wire is called {wire!r}; expected one of {', '.join(REPLAYS)}",))
    replayed = REPLAYS[wire]
    strange = [name for name in own if name not in replayed.own]
    if strange:
        known = "; ".join(f"{name} (without it {without})" for name, without in replayed.own.items())
        raise PlanError((f"{wire} knows no {', '.join(map(repr, strange))}; it knows {known}",))
    playing = Playing(run=run, own=Own(values=own), tokens=tokens, wire_exposure=replayed.exposure)
    return replayed.responses(playing)


# Kernel events.


def _plain(playing: Playing, form: PlainForm) -> list[Played]:
    run, own = playing.run, playing.own
    integers = Integers(own.word("integers", Integers.EXACT, tuple(Integers)))
    played = partial(PlayedEvents, form=form, integers=integers)
    if own.word("follow", "run", ("run", "segment")) == "run":
        return [played(after=run.before(1), last=run.end(run.segments))]
    return [played(after=run.before(one), last=run.end(one)) for one in _segments(run)]


# AG-UI.


def _agui(playing: Playing) -> list[Played]:
    run, own = playing.run, playing.own
    telling = AguiTelling(
        thread_id=own.text("thread_id", run.state.thread_id),
        run_id=own.text("run_id", run.state.run_id),
        parent_run_id=own.values.get("parent_run_id"),
        before=held_in(_posted(own.text("messages", "[]"))),
        token_of=playing.token_of,
    )
    named = own.text("user_message_id", agui_telling.message_of(run.state))

    def told(segment: int) -> AguiTelling:
        if segment == 1:
            return agui_telling.begun(telling, named)
        heard = agui_telling.answered(telling, run.when_answered(segment), open_=())
        return replace(heard, user_message_id=named)

    return [PlayedTelling(telling=agui_telling.folded(told(one), playing.exposure)) for one in _segments(run)]


def _posted(messages: str) -> RunAgentInput:
    try:
        return read_body(f'{{"threadId":"","runId":"","messages":{messages}}}'.encode(), RunAgentInput)
    except BadRequestError as wrong:
        raise PlanError((f"'messages' are what a client of AG-UI posts: {wrong}",)) from wrong


# The UI message stream.


def _vercel(playing: Playing) -> list[Played]:
    run, own = playing.run, playing.own
    page, person = own.names("page"), own.names("person")
    asks = {
        **{name: kind for name, kind in run.asks.items() if (page if kind is PauseKind.FRONT_END else person) is None},
        **dict.fromkeys(page or (), PauseKind.FRONT_END),
        **dict.fromkeys(person or (), PauseKind.ASK_USER),
    }
    answered = own.names("answered")
    resets = own.flag("reset_step", without=False)

    def begins(segment: int) -> vercel_telling.Begins:
        if segment == 1:
            return vercel_telling.Begins(live_from=0)
        heard = run.answered(segment) if answered is None else frozenset(map(InterruptId, answered))
        return vercel_telling.goes_on(run.before(segment), heard)

    if own.flag("resumed", without=False):
        begun = [vercel_telling.Begins(live_from=run.end(run.segments) + (not run.is_at_rest))]
    else:
        begun = [begins(one) for one in _segments(run)]
    told = partial(
        vercel_telling.response_telling,
        token_of=playing.token_of,
        asks=asks,
        resets=resets,
        exposure=playing.exposure,
    )
    return [PlayedTelling(telling=told(one)) for one in begun]


# Chat completions, and responses.


def _begun(playing: Playing) -> tuple[Reader, list[Begun]]:
    reader = Reader(may_answer=playing.may_answer, token_of=playing.token_of)
    return reader, [Begun(run=playing.run.state, segment=one) for one in _segments(playing.run)]


def _chat(playing: Playing) -> list[Played]:
    reader, begun = _begun(playing)
    include_usage = playing.own.flag("include_usage", without=False)
    options = [replace(chat_options(one, reader, playing.exposure), include_usage=include_usage) for one in begun]
    return [PlayedTelling(telling=chat_telling(one, playing.exposure)) for one in options]


def _responses(playing: Playing) -> list[Played]:
    reader, begun = _begun(playing)
    after = playing.own.number("starting_after")
    options = [response_options(one, reader, playing.exposure) for one in begun]
    if after is not None:
        options = [replace(one, after=after) for one in options]
    return [PlayedTelling(telling=response_telling(one, playing.exposure)) for one in options]


# A2A.


def _a2a(playing: Playing) -> list[Played]:
    run, own = playing.run, playing.own
    shape = VERSIONS[own.word("version", Shape.V1_0.value, tuple(VERSIONS))]
    around = a2a_telling.Around(before=Call(id_json=own.id_json("id") or "1").before, behind=BEHIND)
    if own.word("binding", "jsonrpc", ("jsonrpc", "rest")) == "rest":
        around = a2a_telling.Around()
        shape = Shape.V0_3_REST if shape is Shape.V0_3 else shape
    telling = a2a_telling.task_telling(
        run.state,
        shape,
        around,
        token_of=playing.token_of,
        details=own.flag("details", without=False),
        history_length=own.number("history_length"),
    )

    def told(segment: int) -> a2a_telling.Told:
        if segment == 1:
            return a2a_telling.begun(run.state, telling, run.prompt)
        return a2a_telling.from_here(run.when_answered(segment), telling)

    played = []
    for one in map(told, _segments(run)):
        folded = a2a_telling.folded(one.telling, playing.exposure)
        played.append(PlayedTelling(telling=folded, first="" if one.first is None else sse_framed([one.first])))
    return [*played]


# MCP.


def _mcp(playing: Playing) -> list[Played]:
    run, own, exposure = playing.run, playing.own, playing.exposure
    version = own.word("protocol_version", MODERN, (MODERN, *HANDSHAKE))
    telling = McpTelling(
        id_json=own.id_json("id") or "1",
        version=version,
        token_json=own.id_json("progress_token"),
        can_ask=own.flag("can_ask", without=True),
        runs_url=own.text("runs_url", "/v1/runs"),
        token_of=playing.token_of,
    )
    if telling.is_modern:
        tellings = [
            telling if one == 1 else mcp_telling.gone_on(telling, run.when_answered(one)) for one in _segments(run)
        ]
        return [PlayedTelling(telling=mcp_telling.plain_telling(one, exposure)) for one in tellings]
    # In a session the client is asked in the midst of its call, which has one response.
    number = own.number("call")
    call = SessionCall(1 if number is None else number, run.state.run_id, telling)
    return [PlayedTelling(telling=mcp_telling.numbered_telling(call, exposure), first=mcp_telling.primed(call))]


def _segments(run: StoredRun) -> range:
    return range(1, run.segments + 1)


_EVENTS: Final = {"follow": "run: all in one; segment: a response each", "integers": "exact; text: for browsers"}
_ANY: Final = {"may_answer": "true", "exposure": "as the wire is mounted by default"}


def _replay(wire: Any, told: Callable[[Playing], Sequence[Played]], own: Mapping[str, str]) -> Replay:  # noqa: ANN401 (a module of a wire)
    return Replay(own={**own, **_ANY}, exposure=wire.EXPOSURE, responses=told)


REPLAYS: Final[Mapping[str, Replay]] = {
    "plain": Replay(own=_EVENTS, exposure=UI, responses=partial(_plain, form=SSE)),
    "plain-ndjson": Replay(own=_EVENTS, exposure=UI, responses=partial(_plain, form=NDJSON)),
    "agui": _replay(
        agui,
        _agui,
        {
            "thread_id": "the run's thread",
            "run_id": "the run's id",
            "parent_run_id": "none",
            "user_message_id": "as it was posted",
            "messages": "[]",
        },
    ),
    "vercel": _replay(
        vercel,
        _vercel,
        {
            "reset_step": "false",
            "resumed": "false; true: whole, as told to a client that comes back now",
            "answered": "all that was asked before the segment",
            "page": "the tools of the front end that it was asked about",
            "person": "the tools by which it asked its user",
        },
    ),
    "openai-chat": _replay(openai, _chat, {"include_usage": "false"}),
    "openai-responses": _replay(openai, _responses, {"starting_after": "from the first event"}),
    "a2a": _replay(
        a2a,
        _a2a,
        {
            "id": "1",
            "version": "1.0",
            "binding": "jsonrpc",
            "details": "false",
            "history_length": "all of it",
        },
    ),
    "mcp": _replay(
        mcp,
        _mcp,
        {
            "id": "1",
            "progress_token": "none",
            "protocol_version": MODERN,
            "can_ask": "true",
            "runs_url": "/v1/runs",
            "call": "1, its number in its session",
        },
    ),
}
"""By name. A wire that has several forms has a name for each."""
