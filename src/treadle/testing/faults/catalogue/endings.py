"""How a stream ends: labels that lie, turns that are cut, connections that break or are kept."""

from treadle.testing.faults.scenario import (
    Expected,
    More,
    Need,
    Scenario,
    attempts,
    call,
    done,
    fails,
    reply,
    say,
    stream,
    think,
)
from treadle.testing.faults.steps import (
    Chunk,
    Done,
    Eof,
    Finish,
    Fragment,
    Head,
    KeepOpen,
    Raw,
    Reset,
    RoleOnly,
    Stall,
    Turn,
)

_STOP = (Finish(reason="stop"), Done())
_OK = stream(say("ok"), _STOP)
_CALL = call(Fragment(index=0, call_id="A", name="lookup", arguments='{"q":"1"}'))
_HALF_CALL = call(Fragment(index=0, call_id="A", name="lookup", arguments='{"q"'))
_SEES: More = {"tools": (("lookup", 1),), "requests": 2}
_EOF, _CUT = Eof(body_ended=True), Eof(body_ended=False)


def _scenario(
    name: str, says: str, *turns: Turn, expected: Expected, needs: tuple[Need, ...] = (), cases: tuple[str, ...] = ()
) -> Scenario:
    return Scenario(name=name, says=says, turns=turns, expected=expected, needs=needs, cases=cases)


def _truncated(
    name: str, says: str, *turns: Turn, text: str = "", cut: int = 0, cases: tuple[str, ...] = ()
) -> Scenario:
    """A stream that ends without a word that it ended, after something was shown: it is not tried again."""
    return _scenario(name, says, *turns, expected=fails("upstream_truncated", text, cut=cut), cases=cases)


_LABELS = (
    *(
        _scenario(
            f"{label}_with_calls",
            f"the finish reason is {label!r} although there is a call",
            stream(say("Let me see "), _CALL, Finish(reason=label), Done()),
            _OK,
            expected=done("Let me see ok", **_SEES),
            cases=("BR-199",),
        )
        for label in ("stop", "other", "unknown")
    ),
    _scenario(
        "no_label_with_calls",
        "there is a call and an end marker, and no finish reason",
        stream(say("Let me see "), _CALL, Done()),
        _OK,
        expected=done("Let me see ok", **_SEES),
        cases=("BR-199",),
    ),
    _scenario(
        "no_label",
        "the end marker comes without a finish reason",
        stream(say("all said"), Done()),
        expected=done("all said"),
    ),
    _scenario(
        "calls_label_without_calls",
        "the finish reason says calls and there are none, each time",
        stream(Finish(reason="tool_calls"), Done()),
        expected=done(""),
        cases=("BR-200",),
    ),
    _scenario(
        "label_twice",
        "the finish reason comes twice",
        stream(say("a"), Finish(reason="stop"), Finish(reason="stop"), Done()),
        expected=done("a"),
    ),
    _scenario(
        "label_with_text",
        "the finish reason is on the chunk of the last text",
        stream(
            say("a"),
            Chunk(fields={"choices": [{"index": 0, "delta": {"content": "b"}, "finish_reason": "stop"}]}),
            Done(),
        ),
        expected=done("ab"),
    ),
    *(
        _scenario(
            label,
            f"the turn ends for {label}",
            stream(say("as far as"), Finish(reason=label), Done()),
            expected=fails(label, "as far as"),
        )
        for label in ("length", "content_filter")
    ),
    *(
        _scenario(
            f"{label}_with_calls",
            f"the turn ends for {label}, a whole call before it",
            stream(say("so "), _CALL, Finish(reason=label), Done()),
            _OK,
            expected=fails(label, "so ", cut=1),
            cases=("BR-199",),
        )
        for label in ("length", "content_filter")
    ),
)

_CUTS = (
    _truncated(
        "eof_after_text", "the body ends after some text", stream(say("ha", "lf"), _EOF), text="half", cases=("BR-194",)
    ),
    _scenario(
        "eof_after_thinking",
        "the body ends after reasoning",
        stream(think("hm"), _EOF),
        expected=fails("upstream_truncated", thinking="hm"),
    ),
    _truncated(
        "eof_after_call", "the body ends after a whole call", stream(say("so "), _CALL, _EOF), text="so ", cut=1
    ),
    _truncated(
        "eof_in_call", "the body ends in the middle of a call", stream(_HALF_CALL, _EOF), cut=1, cases=("BR-194",)
    ),
    _truncated(
        "eof_in_event",
        "the body ends in the middle of an event",
        stream(say("half"), Raw(data=b'data: {"choices":[{"index":0,"delta":{"conte'), _EOF),
        text="half",
    ),
    _scenario(
        "eof_in_second_round",
        "the body ends in the answer to a result",
        stream(say("a "), _CALL, Finish(reason="tool_calls"), Done()),
        stream(say("b"), _EOF),
        expected=fails("upstream_truncated", "a b", **_SEES),
    ),
    _truncated("cut_after_text", "the connection ends within the body", stream(say("ha", "lf"), _CUT), text="half"),
    _truncated(
        "cut_in_call", "the connection ends within a call", stream(say("so "), _HALF_CALL, _CUT), text="so ", cut=1
    ),
    _truncated("reset_after_text", "the connection is reset", stream(say("ha", "lf"), Reset()), text="half"),
    _scenario(
        "eof_at_once_then_ok",
        "the first answer is an empty body, the second is whole",
        attempts(reply(_EOF), reply(RoleOnly(), say("ok"), _STOP)),
        expected=done("ok", requests=2),
    ),
    _scenario(
        "role_then_cut_then_ok",
        "the first answer breaks after the role, the second is whole: one start, no repeat",
        attempts(reply(RoleOnly(), _CUT), reply(RoleOnly(), say("ok"), _STOP)),
        expected=done("ok", requests=2),
        cases=("BR-191",),
    ),
    _scenario(
        "text_then_cut_then_ok",
        "the first answer breaks after text that was shown; it is not asked again, so nothing is said twice",
        attempts(reply(RoleOnly(), say("The capital"), _CUT), reply(RoleOnly(), say("The capital is X"), _STOP)),
        expected=fails("upstream_truncated", "The capital"),
        cases=("BR-190",),
    ),
)

_OPEN = (
    _scenario(
        "no_end_marker",
        "the body ends after the finish reason, without the end marker",
        stream(say("all"), Finish(reason="stop"), _EOF),
        expected=done("all"),
    ),
    _scenario(
        "no_end_marker_and_cut",
        "the connection ends after the finish reason, within the body",
        stream(say("all"), Finish(reason="stop"), _CUT),
        expected=done("all"),
    ),
    _scenario(
        "unfinished_end_marker",
        "the body ends before the blank line after the end marker",
        stream(say("all"), Finish(reason="stop"), Raw(data=b"data: [DONE]")),
        expected=done("all"),
    ),
    _scenario(
        "keep_open",
        "the connection stays open after the end marker",
        stream(say("all"), _STOP, KeepOpen()),
        expected=done("all"),
        cases=("BR-196",),
    ),
    _scenario(
        "text_after_end_marker",
        "something comes after the end marker",
        stream(say("all"), _STOP, say(" void")),
        expected=done("all"),
    ),
    _scenario(
        "stall_before_head",
        "no byte of an answer",
        attempts(reply(Stall(), RoleOnly(), say("late"), _STOP)),
        expected=fails("stalled", requests=None),
        needs=("stall_limit",),
    ),
    _scenario(
        "stall_after_head",
        "headers, and no byte of the body",
        attempts(reply(Head(), Stall(), RoleOnly(), say("late"), _STOP)),
        expected=fails("stalled", requests=None),
        needs=("stall_limit",),
    ),
    _scenario(
        "stall_after_text",
        "silence after some text",
        stream(say("so far"), Stall(), say(" so late"), _STOP),
        expected=fails("stalled", "so far"),
        needs=("stall_limit",),
    ),
    _scenario(
        "stall_in_call",
        "silence in the middle of a call",
        stream(say("so "), _HALF_CALL, Stall(), _STOP),
        expected=fails("stalled", "so ", cut=1),
        needs=("stall_limit",),
    ),
)

ENDINGS = (*_LABELS, *_CUTS, *_OPEN)
