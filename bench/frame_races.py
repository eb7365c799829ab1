"""A stretch of speech to the frames of a wire, against the least that makes the same bytes: a prefix, one encode, a suffix.

In: nothing. Out: races for the gate, two a wire: many deltas at once, as a reader finds them that catches up, and one by
one, as one does that keeps up. What a wire says is compared with what its floor says before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Final

from races import LostTextError, cpu_s
from verdicts import Race
from workload import deltas

from treadle.projections.a2a.project import TaskRun
from treadle.projections.a2a.telling import TaskTelling
from treadle.projections.a2a.wire import Shape
from treadle.projections.agui.project import AguiRun
from treadle.projections.agui.telling import Telling
from treadle.projections.mcp.project import ToolCallRun
from treadle.projections.mcp.telling import Telling as CallTelling
from treadle.projections.openai_chat.project import ChatRun
from treadle.projections.openai_chat.segment import Options as ChatOptions
from treadle.projections.openai_responses.project import Options as ResponseOptions
from treadle.projections.openai_responses.project import ResponseRun
from treadle.projections.vercel.project import ResponseOptions as MessageOptions
from treadle.projections.vercel.project import VercelResponse
from treadle.server.folded_feed import Fold, Projection, sse_framed
from treadle.server.wires.openai_responses import named_frames
from treadle.values import events as ev
from treadle.values.exposure import OPAQUE, TEXT_ONLY, UI, Exposure
from treadle.values.ids import RunId, ThreadId
from treadle.values.model import TEXT
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

RUN: Final = RunId("r_0123456789abcdefghij")
TEXTS: Final = tuple(deltas(40_000))
A_READ: Final = 64
MOST: Final = 2.0


@dataclass(frozen=True, kw_only=True)
class Wire:
    """One wire: how a response of it begins, what it may say, and the frame of a piece up to its text.

    Shape: where frames are numbered, `first` is the number of the first piece, and stands between `before` and `between`.
    """

    name: str
    begin: Callable[[], Projection]
    exposure: Exposure
    before: str
    after: str = "}\n\n"
    first: int | None = None
    between: str = ""
    framed: Callable[[Sequence[str]], str] = sse_framed


def _task() -> TaskRun:
    """A task whose response is there, so that every piece appends to it."""
    task = TaskRun(RUN, TaskTelling(shape=Shape.V1_0, context_id="t", submitted_s=0.0))
    task.whole.responds = True
    return task


WIRES: Final = (
    Wire(
        name="a2a",
        begin=_task,
        exposure=OPAQUE,
        before=f'data: {{"artifactUpdate":{{"taskId":"{RUN}","contextId":"t","artifact":{{"artifactId":"response",'
        '"parts":[{"text":',
        after='}]},"append":true}}\n\n',
    ),
    Wire(
        name="agui",
        begin=lambda: AguiRun(RUN, Telling(thread_id="t", run_id="r")),
        exposure=UI,
        before=f'data: {{"type":"TEXT_MESSAGE_CONTENT","messageId":"{RUN}.p1","delta":',
    ),
    Wire(
        name="openai chat",
        begin=lambda: ChatRun(RUN, ChatOptions(model="a", token_of=lambda _: None)),
        exposure=TEXT_ONLY,
        before=(
            f'data: {{"id":"chatcmpl-{RUN}.s1","object":"chat.completion.chunk","created":0,"model":"a",'
            '"choices":[{"index":0,"delta":{"content":'
        ),
        after='},"finish_reason":null}]}\n\n',
    ),
    Wire(
        name="openai responses",
        begin=lambda: ResponseRun(RUN, ResponseOptions(model="a", created=0, token_of=lambda _: None)),
        exposure=TEXT_ONLY,
        before=('event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":'),
        first=4,
        between=f',"item_id":"msg_{RUN}.p1","output_index":0,"content_index":0,"delta":',
        after=',"logprobs":[]}\n\n',
        framed=named_frames,
    ),
    Wire(
        name="vercel",
        begin=lambda: VercelResponse(RUN, MessageOptions(token_of=lambda _: None)),
        exposure=UI,
        before=f'data: {{"type":"text-delta","id":"{RUN}.p1","delta":',
    ),
)


THINNED: Final = Wire(
    name="mcp",
    begin=lambda: ToolCallRun(RUN, CallTelling(id_json="1", version="2026-07-28", token_json='"p"')),
    exposure=TEXT_ONLY,
    before=WIRES[0].before,
)
"""A wire that says only that there is speech: it has to cost less than one that says it."""


def frame_races() -> Iterator[Race]:
    """Frames of each wire against its floor."""
    for wire in WIRES:
        for name, size in (("frames", A_READ), ("frames one by one", 1)):
            stretches = _speech(size)
            _check(wire, stretches)
            yield Race(
                name=f"L2 {wire.name} {name}, x floor",
                most=MOST if size > 1 else None,
                floor=lambda wire=wire, size=size: cpu_s(lambda: _floor(wire, size)),
                ours=lambda wire=wire, stretches=stretches: cpu_s(lambda: _ours(wire, stretches)),
                unit="frame",
                floor_units=len(TEXTS),
                our_units=len(TEXTS),
            )
    for name, size in (("pieces", A_READ), ("pieces one by one", 1)):
        stretches = _speech(size)
        yield Race(
            name=f"L2 {THINNED.name} {name}, x floor of a frame each",
            most=1.0 if size > 1 else None,
            floor=lambda size=size: cpu_s(lambda: _floor(THINNED, size)),
            ours=lambda stretches=stretches: cpu_s(lambda: _ours(THINNED, stretches)),
            unit="piece",
            floor_units=len(TEXTS),
            our_units=len(TEXTS),
        )


def _floor(wire: Wire, size: int) -> list[bytes]:
    before, between, after, escaped = wire.before, wire.between, wire.after, encode_basestring_ascii
    if wire.first is None:
        return [
            "".join([f"{before}{escaped(text)}{after}" for text in TEXTS[at : at + size]]).encode()
            for at in range(0, len(TEXTS), size)
        ]
    return [
        "".join(
            [
                f"{before}{number}{between}{escaped(text)}{after}"
                for number, text in enumerate(TEXTS[at : at + size], wire.first + at)
            ]
        ).encode()
        for at in range(0, len(TEXTS), size)
    ]


def _ours(wire: Wire, stretches: Sequence[Stretch]) -> list[bytes]:
    fold = Fold(wire.begin(), wire.exposure)
    return [wire.framed(fold.payloads(stretch)).encode() for stretch in stretches]


def _speech(size: int) -> list[Stretch]:
    started = ev.RunStarted(
        index=0,
        run_id=RUN,
        agent="a",
        thread_id=ThreadId("t"),
        root_run_id=RUN,
        prompt="p",
        tool_call_limit=64,
    )
    opened = ev.RoundStarted(index=1, run_id=RUN, round=1, attempt=1, model="m")
    begun: list[Stretch] = [EntryStretch(seq=0, index=0, entries=(started, opened), at_s=0.0)]
    return begun + [
        SpeechStretch(seq=2 + at, index=2 + at, kind=TEXT, key=1, texts=TEXTS[at : at + size], at_s=0.0)
        for at in range(0, len(TEXTS), size)
    ]


def _check(wire: Wire, stretches: Sequence[Stretch]) -> None:
    floor, ours = b"".join(_floor(wire, A_READ)), b"".join(_ours(wire, stretches))
    if not ours.endswith(floor):
        said = ours.split(b"\n\n")[:6]
        raise LostTextError(f"wire {wire.name!r} does not say what its floor says; it begins {said!r:.300}")
