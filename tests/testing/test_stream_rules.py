"""What a segment may say, and in which order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treadle.testing.stream_rules import StreamRules

Told = Callable[[StreamRules], None]


def problems(*told: Told) -> list[str]:
    """What is reported when these things are told, each as one event."""
    rules = StreamRules()
    for at, tell in enumerate(told):
        rules.begin_event(f"event {at}")
        tell(rules)
    return rules.finish()


def opened(message: str, attempt: int | None = None) -> Told:
    """A model is asked."""
    return lambda rules: rules.open_message(message, attempt)


def ended(message: str) -> Told:
    """Its turn is over."""
    return lambda rules: rules.end_message(message)


def said(text: str) -> Told:
    """A piece of text."""
    return lambda rules: rules.text(text)


def retracted(message: str) -> Told:
    """A message is void."""
    return lambda rules: rules.retract(message)


def closed(text: str, answer: str | None = None, outcome: str = "done") -> Told:
    """The closing event."""
    return lambda rules: rules.close(outcome, text=text, answer=text if answer is None else answer)


def begun(rules: StreamRules) -> None:
    """The run starts."""
    rules.begin()


def resumed(rules: StreamRules) -> None:
    """The run goes on."""
    rules.resume()


SOUND: list[list[Told]] = [
    [begun, opened("m1"), said("a"), said("b"), ended("m1"), opened("m2"), said("c"), ended("m2"), closed("abc", "c")],
    [begun, opened("m1", 1), said("a"), retracted("m1"), opened("m1", 2), said("b"), ended("m1"), closed("b")],
    [begun, opened("m1", 3), said("a"), retracted("m1"), closed("", outcome="error")],
    [begun, opened("m1"), said("a"), ended("m1"), closed("a", "", outcome="error")],
    [begun, closed("", outcome="cancelled")],
    [resumed, opened("m2"), said("b"), ended("m2"), closed("ab", "b")],
    [resumed, closed("a", "a", outcome="cancelled")],
    [closed("")],
]

PLANTED: list[tuple[list[Told], str]] = [
    ([], "no closing event"),
    ([begun, opened("m1"), said("a"), ended("m1")], "no closing event"),
    ([begun, closed(""), lambda rules: rules.other()], "comes after the closing event"),
    ([begun, begun, closed("")], "a run starts in mid stream"),
    ([begun, resumed, closed("")], "a run is resumed in mid stream"),
    ([opened("m1"), opened("m2"), ended("m2"), closed("")], "message 'm2' opens while 'm1' is open"),
    ([opened("m1"), closed("")], "message 'm1' is open at the end"),
    ([opened("m1"), ended("m1"), ended("m1"), closed("")], "message 'm1' ends and is not open"),
    ([ended("m1"), closed("")], "message 'm1' ends and is not open"),
    (
        [opened("m1"), ended("m1"), opened("m2"), ended("m2"), opened("m1"), ended("m1"), closed("")],
        "opens again after another",
    ),
    ([opened("m1", 2), retracted("m1"), opened("m1", 2), ended("m1"), closed("")], "comes after attempt 2"),
    ([retracted("m1"), closed("")], "is retracted and was never opened"),
    (
        [opened("m1"), ended("m1"), opened("m2"), ended("m2"), retracted("m1"), closed("")],
        "is retracted and is not the last",
    ),
    ([said("a"), closed("a")], "text comes outside of a message"),
    ([opened("m1"), ended("m1"), said("a"), closed("a")], "text comes outside of a message"),
    ([lambda rules: rules.speech("thinking", "a"), closed("")], "thinking comes outside of a message"),
    ([opened("m1"), said(""), ended("m1"), closed("")], "text is empty"),
    ([opened("m1"), lambda rules: rules.speech("thinking", ""), ended("m1"), closed("")], "thinking is empty"),
    ([opened("m1"), said("a"), ended("m1"), closed("", outcome="error")], "the outcome's text is '', shown was 'a'"),
    ([opened("m1"), said("a"), retracted("m1"), closed("a", "", outcome="error")], "shown was ''"),
    ([resumed, opened("m2"), said("b"), ended("m2"), closed("ba", "", outcome="error")], "shown was 'b'"),
    ([opened("m1"), said("a"), ended("m1"), closed("a", "")], "the answer is '', the last round showed 'a'"),
    (
        [opened("m1"), said("a"), ended("m1"), opened("m2"), said("b"), ended("m2"), closed("ab", "ab")],
        "the last round showed 'b'",
    ),
    ([begun, closed(""), closed("")], "comes after the closing event"),
]


@pytest.mark.parametrize("told", SOUND)
def test_a_sound_segment_is_passed(told: list[Told]) -> None:
    """One closing event, last; messages in turn; the text of the outcome is what was shown (EV-3, EV-8, EV-10)."""
    assert problems(*told) == []


@pytest.mark.parametrize(("told", "words"), PLANTED, ids=[words for _, words in PLANTED])
def test_each_rule_can_fail(told: list[Told], words: str) -> None:
    """What is broken is told once (EV-3, EV-4, EV-7, EV-8, EV-10)."""
    (found,) = problems(*told)
    assert words in found


def test_a_call_belongs_to_the_message_that_announced_it() -> None:
    """It is settled before the next message opens, or void with its own (EV-5)."""

    def announced(rules: StreamRules) -> None:
        rules.announce("c", "f")

    assert problems(opened("m1"), announced, retracted("m1"), opened("m1"), ended("m1"), closed("")) == []
    (found,) = problems(opened("m1"), announced, ended("m1"), opened("m2"), ended("m2"), settled, closed(""))
    assert found == "event 3: call 'c' has no result before message 'm2'"
    (found,) = problems(announced, settled, closed(""))
    assert found == "event 0: a call is announced outside of a message"


def settled(rules: StreamRules) -> None:
    """The call has its result."""
    rules.calls.result("c", "failed")


def test_a_pause_leaves_the_call_open_that_it_waits_for() -> None:
    """And no other (EV-5)."""

    def paused(rules: StreamRules) -> None:
        rules.close("paused", text="", answer="", waiting=["c"])

    def announced(call_id: str) -> Told:
        return lambda rules: rules.announce(call_id, "f")

    assert problems(opened("m1"), announced("c"), ended("m1"), paused) == []
    (found,) = problems(opened("m1"), announced("c"), announced("d"), ended("m1"), paused)
    assert found == "event 4: call 'd' has no result before the pause"


def test_long_texts_are_told_in_short() -> None:
    """A violation is a line (ours)."""
    (found,) = problems(opened("m1"), said("a" * 1000), ended("m1"), closed("b" * 1000, "", outcome="error"))
    assert len(found) < 250
