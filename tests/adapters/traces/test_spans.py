"""Spans as values."""

from __future__ import annotations

from treadle.adapters.traces.spans import FinishedSpan, SpanEnded, SpanOpened, finished, known, named
from treadle.values.model import StopReason


def test_two_ends_make_a_span() -> None:
    """Ours: what was known at the begin and what was known at the end are one."""
    opened = SpanOpened(key=3, name="chat m", at_s=1.0, attributes={"a": 1}, parent=1, follows=2, is_client=True)
    ended = SpanEnded(key=3, at_s=2.5, attributes={"b": ("x",)}, failure="length")
    assert finished(opened, ended) == FinishedSpan(
        key=3,
        name="chat m",
        started_s=1.0,
        ended_s=2.5,
        attributes={"a": 1, "b": ("x",)},
        parent=1,
        follows=2,
        is_client=True,
        failure="length",
    )


def test_what_is_not_known_is_no_attribute_and_a_zero_is_one() -> None:
    """Promise 10: absent is not zero, and zero is not absent."""
    assert known({"a": None, "b": "", "c": 0, "d": False, "e": "x\ud83d"}) == {"c": 0, "d": False, "e": "x\ufffd"}


def test_text_of_any_kind_is_plain_text() -> None:
    """Ours: an exporter is given no class of ours."""
    told = known({"a": StopReason.STOP, "b": (StopReason.STOP, "\ud83d")})
    assert told == {"a": "stop", "b": ("stop", "\ufffd")}
    assert {type(told["a"]), *map(type, told["b"])} == {str}  # type: ignore[arg-type]  # a tuple of texts


def test_a_span_is_named_after_what_is_done_with_what() -> None:
    """The conventions: the operation alone where the rest is not known."""
    assert (named("chat", "m\ud83d"), named("chat", "")) == ("chat m\ufffd", "chat")
