"""What may be told of one call after the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treadle.testing.call_brackets import CallBrackets

Told = Callable[[CallBrackets], None]


def problems(*told: Told, carries: bool = False) -> list[str]:
    """What is reported when these things are told one after the other."""
    found: list[str] = []
    brackets = CallBrackets(found.append)
    brackets.carries = carries
    for tell in told:
        tell(brackets)
    return found


def announced(calls: CallBrackets) -> None:
    """The call c of f is announced."""
    calls.announce("c", "f", "m1")


def said(text: str) -> Told:
    """A piece of its arguments."""
    return lambda calls: calls.arguments("c", text, after_execution=False)


def executed(calls: CallBrackets) -> None:
    """It is executed, its arguments streamed."""
    calls.execute("c", "f", streamed=True)


def progressed(sequence: int) -> Told:
    """It progresses."""
    return lambda calls: calls.progress("c", sequence)


def settled(calls: CallBrackets) -> None:
    """It has its result."""
    calls.result("c", "failed")


def done(calls: CallBrackets) -> None:
    """It has its result, and ran for it."""
    calls.result("c", "ok")


def retracted(calls: CallBrackets) -> None:
    """Its message is void."""
    calls.retract("m1")


def ended(calls: CallBrackets) -> None:
    """The segment ends."""
    calls.end("the end")


def paused(calls: CallBrackets) -> None:
    """The segment ends in a pause on the call."""
    calls.end("the pause", waiting=["c"])


SOUND: list[list[Told]] = [
    [announced, said('{"a"'), said(": 1}"), executed, progressed(0), progressed(1), done, ended],
    [announced, said("{tea"), settled, ended],
    [announced, retracted, ended],
    [announced, said('{"a": 1}'), paused],
    [announced, said("{}"), executed, paused],
    [announced, lambda calls: calls.execute("c", "f", streamed=False), settled, ended],
    [announced, lambda calls: calls.execute("c", "f"), settled, ended],
    [
        announced,
        lambda calls: calls.execute("c", "f"),
        lambda calls: calls.arguments("c", "{}", after_execution=True),
        settled,
        ended,
    ],
]

PLANTED: list[tuple[list[Told], str]] = [
    ([announced, announced, settled], "announced twice"),
    ([said("{}")], "arguments of call 'c', which was never announced"),
    ([executed], "execution of call 'c', which was never announced"),
    ([progressed(0)], "progress of call 'c', which was never announced"),
    ([settled], "a result of call 'c', which was never announced"),
    ([announced, said("{}"), executed, said("{}"), settled], "arguments of call 'c' come when it is executing"),
    ([announced, settled, said("{}")], "arguments of call 'c' come when it is settled"),
    ([announced, said("{}"), executed, executed, settled], "executed when it is executing"),
    ([announced, said("{}"), settled, executed], "executed when it is settled"),
    ([announced, said("{}"), lambda calls: calls.execute("c", "g", streamed=True)], "announced as 'f'"),
    ([announced, executed, settled], "called streamed after 0 pieces"),
    ([announced, said("{}"), lambda calls: calls.execute("c", "f", streamed=False)], "not streamed after 1 pieces"),
    ([announced, said("{tea}"), executed, settled], "executed although the arguments are not one JSON object"),
    (
        [
            announced,
            lambda calls: calls.execute("c", "f"),
            lambda calls: calls.arguments("c", "[1]", after_execution=True),
        ],
        "executed although the arguments must be a JSON object",
    ),
    (
        [
            announced,
            lambda calls: calls.execute("c", "f"),
            *[lambda calls: calls.arguments("c", "{}", after_execution=True)] * 2,
        ],
        "arguments of call 'c' come when it is executing",
    ),
    ([announced, progressed(0), settled], "progresses when it is announced"),
    ([announced, said("{}"), executed, progressed(1), settled], "is 1, expected 0"),
    ([announced, said("{}"), executed, progressed(0), progressed(0), settled], "is 0, expected 1"),
    ([announced, settled, settled], "gets a result when it is settled"),
    ([announced, done], "ends 'ok' and was never executed"),
    ([announced, retracted, settled], "gets a result when it is void"),
    ([announced, said("{}"), executed, settled, retracted], "ran and is retracted"),
    ([announced, ended], "has no result before the end"),
    ([announced, said("{}"), executed, ended], "has no result before the end"),
    ([announced, settled, paused], "waits for call 'c', which is settled"),
    ([paused], "waits for call 'c', which was never announced"),
]


@pytest.mark.parametrize("told", SOUND)
def test_a_sound_call_is_passed(told: list[Told]) -> None:
    """Announced, its arguments, executed, its progress, one result; or void, or waiting (EV-5, EV-6)."""
    assert problems(*told) == []


@pytest.mark.parametrize(("told", "words"), PLANTED, ids=[words for _, words in PLANTED])
def test_a_call_out_of_order_is_told(told: list[Told], words: str) -> None:
    """Each rule can fail, and names the call (EV-5, EV-6)."""
    (found,) = problems(*told)
    assert words in found


@pytest.mark.parametrize("first", [executed, progressed(7), settled, paused])
def test_a_resumed_segment_goes_on_with_calls_that_it_did_not_announce(first: Told) -> None:
    """They were announced before the pause; how far they had come then is not known here (ours)."""
    assert problems(first, carries=True) == []
    assert problems(first)


def test_a_call_that_a_resumed_segment_goes_on_with_is_settled_once() -> None:
    """From its first mention on, the rules are the same (EV-5)."""
    assert problems(progressed(7), progressed(8), done, ended, carries=True) == []
    assert problems(done, ended, carries=True) == []
    (found,) = problems(settled, settled, ended, carries=True)
    assert "gets a result when it is settled" in found
