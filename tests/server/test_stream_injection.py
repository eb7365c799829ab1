"""No text of an event forges a line, a field or another event of a stream.

What was sent is read here by the letter of the standard, line by line, and not by the code that wrote it.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.agents import scripted
from tests.server.calls import JSON, SSE, ask
from tests.values.event_samples import SAMPLES
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.codec.events import kernel_event_json
from treadle.plan.tools import tool
from treadle.projections.plain.wire import KINDS, Integers
from treadle.server.feeds import ndjson_frames, sse_frames
from treadle.values.events import KernelEvent
from treadle.values.ids import RunId
from treadle.values.stretches import EntryStretch, SpeechStretch

FORGED: Final = (
    "\n\nevent: done\ndata: {}\n\n",
    "\r\rid: 9:9\rdata: x\r\r",
    "\r\nretry: 1\r\n",
    "\u2028data: x\u2029\u2028",
    "\x85event: error\x85\x85",
    "\x0bdata: x\x0c\x1c\x1d\x1e",
    "\ufeffid: 1",
    ": comment\n",
    "\x00id",
    '"}\n\n',
    "\\u000a",
    "\ud83d\n",
)
HOSTILE = st.lists(st.sampled_from(FORGED) | st.text(max_size=6), min_size=1, max_size=4).map("".join)
ENDS: Final = re.compile(rb"\r\n|\r|\n")
ANY_ENDS: Final = re.compile("\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
OURS: Final = frozenset({"run_id", "root_run_id", "parent_run_id"})
"""Ids that the server makes, of letters, digits and `_`."""
FIELD: Final = re.compile(rb"(id: \d+:\d+|event: [a-z_]+|data: \{.*\})")


def lines_of(body: bytes) -> list[list[bytes]]:
    """The events of a stream, each as its lines: only CR, LF and CRLF end one, and a blank one ends an event."""
    events: list[list[bytes]] = [[]]
    for line in ENDS.split(body.removeprefix(b"\xef\xbb\xbf")):
        if line:
            events[-1].append(line)
        elif events[-1]:
            events.append([])
    assert events.pop() == [], "the stream ends in the middle of an event"
    return events


def poisoned(value: Any, text: str) -> Any:  # noqa: ANN401 (an event, or a part of one)
    """The value with its open texts replaced: what providers, tools and users may write."""
    if isinstance(value, str):
        return text if type(value) is str else value
    if isinstance(value, Mapping):
        return {f"{text}{number}": poisoned(item, text) for number, item in enumerate(value.values())}
    if isinstance(value, tuple | list):
        return tuple(poisoned(item, text) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _poisoned_parts(value, text)
    return value


def _poisoned_parts(value: Any, text: str) -> Any:  # noqa: ANN401 (a value of ours)
    """As much of a value as its own rules allow."""
    for field in dataclasses.fields(value):
        if field.name in OURS:
            continue
        part = getattr(value, field.name)
        try:
            value = dataclasses.replace(value, **{field.name: poisoned(part, text)})
        except (ValueError, TypeError):
            continue
    return value


def stretch_of(event: KernelEvent) -> EntryStretch:
    """An event by itself."""
    return EntryStretch(seq=event.index, index=event.index, entries=(event,), at_s=1.0, epoch=3)


def whole(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """A value as JSON says it."""
    return json.loads(json.dumps(value))


@pytest.mark.requirement("BR-126", "BR-127", "BR-129", "ACCESS-forge")
@given(sample=st.sampled_from(SAMPLES), text=HOSTILE, integers=st.sampled_from(Integers))
def test_every_event_is_one_event_whatever_its_texts_say(sample: KernelEvent, text: str, integers: Integers) -> None:
    """Issue: SSE injection fuzz. Three lines of ours an event, for strict readers and for sloppy ones."""
    event = poisoned(sample, text)
    (frame,) = sse_frames(stretch_of(event), RunId("r_1"), after=-1, integers=integers)
    body = frame.encode()
    (lines,) = lines_of(body)
    assert [line.split(b":")[0] for line in lines] == [b"id", b"event", b"data"]
    assert all(FIELD.fullmatch(line) for line in lines)
    assert lines[0] == f"id: 3:{event.index}".encode()
    assert lines[1].removeprefix(b"event: ").decode() in KINDS
    assert ANY_ENDS.split(frame.strip("\n")) == frame.strip("\n").split("\n")
    told = json.loads(lines[2].removeprefix(b"data: "))
    assert (told["kind"], told["index"]) == (event.kind, event.index)
    if integers is Integers.EXACT:
        assert told == whole(kernel_event_json(event))


@pytest.mark.requirement("ACCESS-forge")
@given(
    kind=st.sampled_from(["text", "thinking", "arguments"]),
    texts=st.lists(HOSTILE.map(lambda text: text.replace("\ud83d", "")).filter(bool), min_size=1, max_size=5),
    key=HOSTILE.map(lambda text: text.replace("\ud83d", "")),
)
def test_speech_is_one_event_a_piece_whatever_it_says(kind: str, texts: list[str], key: str) -> None:
    """Issue: SSE injection fuzz, over the short road that nearly everything takes."""
    stretch = SpeechStretch(
        seq=4,
        index=4,
        kind=kind,
        key=key if kind == "arguments" else 1,
        texts=tuple(texts),
        at_s=1.0,
        epoch=2,  # type: ignore[arg-type]  # a call's id
    )
    body = "".join(sse_frames(stretch, RunId("r_1"), after=-1, integers=Integers.EXACT)).encode()
    events = lines_of(body)
    assert [lines[0] for lines in events] == [f"id: 2:{4 + number}".encode() for number in range(len(texts))]
    assert [json.loads(lines[2][6:])["text"] for lines in events] == texts
    assert all(FIELD.fullmatch(line) for lines in events for line in lines)
    rows = "".join(ndjson_frames(stretch, RunId("r_1"), after=-1, integers=Integers.EXACT))
    told = [json.loads(row) for row in ANY_ENDS.split(rows.removesuffix("\n"))]
    assert [row["text"] for row in told] == texts
    assert [row["cursor"] for row in told] == [f"2:{4 + number}" for number in range(len(texts))]


@pytest.mark.slow
@pytest.mark.requirement("ACCESS-forge")
@pytest.mark.parametrize("text", FORGED)
async def test_a_run_that_is_hostile_from_end_to_end_forges_nothing(text: str) -> None:
    """Issue: the same over HTTP: prompt, thread, text, arguments, results, progress and names."""
    said = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    @tool
    async def echo(words: str) -> Any:  # noqa: ANN401 (a tool gives anything)
        """Say it again."""
        yield {words: text}
        yield [words, {words: words}]

    calls = f"call: echo {json.dumps({'words': said})}\ncall: {json.dumps(said)} {{}}"
    script = f"text: {_escaped(said)}\n{calls}\n---\ntext: ok"
    agent = Agent(name="a", model=ScriptedModel.from_text(script), tools=[echo])
    async with Server([agent]) as server:
        call = await ask(server.asgi, "POST", "/v1/runs", JSON, SSE, body={"agent": "a", "prompt": f"hi {said}"})
    assert call.status == 200
    opening, *events = lines_of(call.body)
    assert (opening, events[0].pop(0)) == ([b": treadle"], b"retry: 1000")
    assert all(FIELD.fullmatch(line) for lines in events for line in lines)
    assert [lines[0] for lines in events] == [f"id: 1:{number}".encode() for number in range(len(events))]
    kinds = [lines[1].removeprefix(b"event: ").decode() for lines in events]
    assert (kinds.count("done"), kinds[-1], kinds.count("tool_result")) == (1, "done", 2)


def _escaped(text: str) -> str:
    """Text as the notation of scripts has it."""
    return "".join(f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else sign for sign in text)


def test_the_reader_of_these_tests_finds_what_is_forged() -> None:
    """Ours: the rule can fail."""
    forged = b"id: 1:1\nevent: text_delta\ndata: {\n\nevent: done\ndata: {}\n\n"
    assert len(lines_of(forged)) == 2
    assert not FIELD.fullmatch(b"retry: 1")
    assert scripted("text: x").name == "a"
