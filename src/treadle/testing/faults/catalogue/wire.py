"""Sound streams whose bytes are cut, ended, commented and encoded in every way the format allows."""

import json
from typing import Any

from treadle.testing.faults.scenario import Scenario, call, done, reply, say, stream, think
from treadle.testing.faults.steps import Comment, Done, Finish, Fragment, Raw, Reply, RoleOnly, Step, Turn

_STOP = (Finish(reason="stop"), Done())
_TEXT = "é日本🙂 ok"
_SAID = (RoleOnly(), say("é", "日本", "🙂", " ok"), _STOP)
_SEPARATORS = "a\u2028b\u0085c\u2029d\x0b\x0ce"


def _answer(name: str, says: str, *replies: Reply, text: str = _TEXT, cases: tuple[str, ...] = ()) -> Scenario:
    return Scenario(name=name, says=says, turns=(Turn(replies=replies),), expected=done(text), cases=cases)


def _json(content: str) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]})


def _raw_content(*contents: bytes) -> tuple[Step, ...]:
    """Chunks whose text is these bytes, be they UTF-8 or not."""
    head, _, tail = _json("|").encode().partition(b"|")
    return tuple(Raw(data=b"data: " + head + content + tail + b"\n\n") for content in contents)


def _over_lines(chunk: dict[str, Any]) -> Raw:
    """A chunk whose JSON is spread over several data lines."""
    lines = json.dumps(chunk, indent=1).split("\n")
    return Raw(data=("".join(f"data: {line}\n" for line in lines) + "\n").encode())


WIRE = (
    *(
        _answer(
            f"writes_of_{size}",
            f"{size} bytes a write, so that characters, events and line ends are cut",
            reply(*_SAID, write_bytes=size),
            cases=("BR-122",),
        )
        for size in (1, 2, 3, 7, 64)
    ),
    _answer("one_write", "the whole stream in one write", reply(*_SAID, write_bytes=0)),
    _answer("crlf", "lines end in CRLF", reply(*_SAID, line_end=b"\r\n"), cases=("BR-130",)),
    _answer("cr", "lines end in CR", reply(*_SAID, line_end=b"\r"), cases=("BR-130",)),
    _answer(
        "crlf_writes_of_1", "CRLF, each cut in two", reply(*_SAID, line_end=b"\r\n", write_bytes=1), cases=("BR-130",)
    ),
    _answer("no_space_after_colon", "`data:` without the space", reply(*_SAID, after_colon=b"")),
    _answer("byte_order_mark", "a byte order mark first", reply(Raw(data=b"\xef\xbb\xbf"), *_SAID)),
    _answer(
        "comments",
        "heartbeats before, between and after the events, with and without a blank line",
        reply(
            Comment(),
            RoleOnly(),
            Raw(data=b":\n"),
            say("é", "日本"),
            *[Comment(text="OPENROUTER PROCESSING")] * 3,
            say("🙂", " ok"),
            Raw(data=b": ping\n"),
            _STOP,
            Comment(),
        ),
    ),
    _answer(
        "named_events",
        "names, ids and waits beside the data, and blocks without data",
        reply(
            Raw(data=b"retry: 10\n\n"),
            Raw(data=b"event: message\nid: 1\n"),
            RoleOnly(),
            Raw(data=b"event: ping\n\n"),
            say("é", "日本"),
            Raw(data=b"id: 2\nother: x\n"),
            say("🙂", " ok"),
            _STOP,
        ),
    ),
    _answer(
        "data_over_lines",
        "one chunk's JSON over several data lines",
        reply(
            RoleOnly(),
            _over_lines({"choices": [{"index": 0, "delta": {"content": _TEXT}, "finish_reason": None}]}),
            _STOP,
        ),
    ),
    _answer(
        "separators_in_text",
        "raw U+2028, U+2029 and U+0085 in the JSON, and escaped vertical tab and form feed: none ends a line",
        reply(RoleOnly(), say(_SEPARATORS), _STOP),
        text=_SEPARATORS,
        cases=("BR-126",),
    ),
    _answer(
        "escaped_text",
        "every character beyond ASCII is an escape, pairs of surrogates too",
        reply(RoleOnly(), Raw(data=f"data: {_json(_TEXT)}\n\n".encode()), _STOP),
    ),
    _answer(
        "long_delta",
        "a single delta of a million characters",
        reply(RoleOnly(), say("x" * 1_000_000), _STOP),
        text="x" * 1_000_000,
        cases=("BR-131",),
    ),
    _answer(
        "long_delta_in_pieces",
        "a delta of 200,000 characters in writes of 1,000 bytes",
        reply(RoleOnly(), say("x" * 200_000), _STOP, write_bytes=1_000),
        text="x" * 200_000,
        cases=("BR-131",),
    ),
    _answer(
        "half_surrogate",
        "half a surrogate pair as an escape, never followed by its other half",
        reply(RoleOnly(), say("ok \ud83d", " end"), _STOP),
        text="ok \ufffd end",
        cases=("BR-186",),
    ),
    _answer(
        "half_surrogate_last",
        "half a surrogate pair ends the text",
        reply(RoleOnly(), say("ok ", "\ud83d"), _STOP),
        text="ok \ufffd",
        cases=("BR-186",),
    ),
    _answer(
        "surrogates_in_two_deltas",
        "the two halves of a pair in two deltas",
        reply(RoleOnly(), say("ok \ud83d", "\ude42!"), _STOP),
        text="ok 🙂!",
        cases=("BR-186",),
    ),
    _answer(
        "byte_tokens",
        "a character in three deltas of one raw byte each, a byte that is no text, a letter, an unfinished character",
        reply(RoleOnly(), *_raw_content(b"\xe6", b"\x97", b"\xa5", b"\xff", b"A", b"\xe6"), _STOP),
        text="日\ufffdA\ufffd",
        cases=("BR-123",),
    ),
    Scenario(
        name="everything_in_writes_of_5",
        says="reasoning, text and a call, five bytes a write, CRLF, then the answer",
        turns=(
            Turn(
                replies=(
                    reply(
                        RoleOnly(),
                        think("日"),
                        say("🙂 "),
                        call(Fragment(index=0, call_id="A", name="lookup", arguments='{"q":"日')),
                        Comment(),
                        call(Fragment(index=0, arguments='本"}')),
                        Finish(reason="tool_calls"),
                        Done(),
                        line_end=b"\r\n",
                        write_bytes=5,
                    ),
                )
            ),
            stream(say("ok"), _STOP),
        ),
        expected=done("🙂 ok", thinking="日", tools=(("lookup", 1),), requests=2),
        cases=("BR-122",),
    ),
)
