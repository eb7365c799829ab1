"""Scripts as text: each word, each refusal."""

import pytest

from treadle.adapters.models.scripted.notation import parse_script
from treadle.adapters.models.scripted.steps import (
    Called,
    Carried,
    Continued,
    Fault,
    FaultKind,
    Finished,
    Gate,
    Quiet,
    Said,
    Step,
    Unclear,
    Used,
    Whole,
    turn,
)
from treadle.errors import PlanError
from treadle.values.model import TEXT, THINKING, StopReason
from treadle.values.usage import UsageDelta

ROWS: list[tuple[str, Step]] = [
    ("think: Let me add.", Said(kind=THINKING, pieces=("Let me add.",))),
    ("text: Let me | see.", Said(pieces=("Let me ", " see."))),
    ("text:no blank", Said(pieces=("no blank",))),
    ("text:  two blanks ", Said(pieces=(" two blanks ",))),
    ("text: a: b # c", Said(pieces=("a: b # c",))),
    (r"text: a\|b\\c\nd\re\tf\sg\u00e9\ud83d", Said(pieces=("a|b\\c\nd\re\tf gé\ud83d",))),
    (r"whole: a\nb", Whole(text="a\nb")),
    ("call: ping", Called(name="ping")),
    ('call: add {"a": 1, "b": 2}', Called(name="add", arguments='{"a": 1, "b": 2}')),
    ('call: add id=c1 cut=3 {"a": "|\\n"}', Called(name="add", arguments='{"a": "|\\n"}', provider_id="c1", cut=3)),
    ("call:  add cut=2", Called(name="add", cut=2)),
    ('call: add id= {"t": "x', Called(name="add", arguments='{"t": "x')),
    ('call: "no such tool" {}', Called(name="no such tool", arguments="{}")),
    (r'call: "a\"b" id=x', Called(name='a"b', provider_id="x")),
    ("usage: 10 5", Used(usage=UsageDelta(input_tokens=10, output_tokens=5))),
    (
        "usage: 10 0 cached=3 reasoning=2 created=1 total=17",
        Used(
            usage=UsageDelta(
                input_tokens=10,
                cache_read_tokens=3,
                cache_creation_tokens=1,
                reasoning_tokens=2,
                total_tokens=17,
                reported=frozenset({"output_tokens"}),
            )
        ),
    ),
    ("usage: total=17", Used(usage=UsageDelta(total_tokens=17))),
    ("finish: tool_calls", Finished(reason=StopReason.TOOL_CALLS)),
    ('payload: {"seal": [1]}', Carried(payload={"seal": [1]})),
    ("damage: two in one", Unclear(damage="two in one")),
    ("quiet", Quiet()),
    ("quiet:", Quiet()),
    ("gate: go", Gate(name="go")),
    ("eof", Fault(kind=FaultKind.EOF)),
    ("error: busy", Fault(kind=FaultKind.BUSY)),
    ("error: refused status=401", Fault(kind=FaultKind.REFUSED, status=401)),
    ("error: garbled", Fault(kind=FaultKind.GARBLED)),
    ("error: timeout", Fault(kind=FaultKind.TIMEOUT)),
    ("error: unavailable retry_after=0.5", Fault(kind=FaultKind.UNAVAILABLE, retry_after_s=0.5)),
    ("raise", Fault(kind=FaultKind.RAISE)),
    ("raise: hunter2", Fault(kind=FaultKind.RAISE, words="hunter2")),
    ("hang", Fault(kind=FaultKind.HANG)),
]


@pytest.mark.parametrize(("line", "step"), ROWS)
def test_each_word_of_the_notation_is_one_step(line: str, step: Step) -> None:
    """The table of the module, row by row (ours)."""
    assert parse_script(line) == (turn(step),)


def test_a_call_goes_on_where_it_was_left() -> None:
    """Its number and one blank, then argument text as it is (ours)."""
    script = 'call: f {"a":\ncall: g\nmore: 0  1}'
    assert parse_script(script) == (
        turn(Called(name="f", arguments='{"a":'), Called(name="g"), Continued(slot=0, text=" 1}")),
    )


def test_turns_and_attempts_are_parted_by_dashes() -> None:
    """Blank lines, comments and what some editors put at line ends say nothing (ours)."""
    script = "# the first turn\r\n\r\nerror: busy\r\n--- again\r\ntext: a\r\nfinish: stop\r\n---\r\n\r\ntext: b\r\n"
    said = Said(kind=TEXT, pieces=("a",))
    assert parse_script(script) == (
        turn(Fault(kind=FaultKind.BUSY), again=((said, Finished(reason=StopReason.STOP)),)),
        turn(Said(pieces=("b",))),
    )


REFUSED: list[tuple[str, str]] = [
    ("", "expected a step, came the end of the turn"),
    ("text: a\n---\n", "expected a step, came the end of the turn"),
    ("sing: la", "expected one of think, text, whole, call"),
    ("text", "expected text"),
    ("text: a||b", "expected text"),
    (r"text: \x", "expected one of | \\ n r t s or uXXXX after a backslash, came 'x'"),
    ("text: a\\", "expected one of | \\ n r t s or uXXXX after a backslash, came ''"),
    ("whole:", "expected text"),
    ("call:", "expected a name"),
    ('call: ""', "a call needs a name"),
    ('call: "a\tb" {}', "expected JSON"),
    ("call: add cut=0", "cut must be 1 or more"),
    ("call: add cut=x", "expected a number for cut, came 'x'"),
    ("more: 1", "expected the number of a call and argument text"),
    ("usage:", "expected input and output tokens"),
    ("usage: 1 2 3", "expected input and output tokens"),
    ("usage: -1 2", "expected a number for input_tokens"),
    ("usage: 1 2 cash=3", "expected options of cached, created, reasoning, total, came cash"),
    ("finish: soon", "expected one of stop, tool_calls"),
    ("payload: {", "expected JSON"),
    ("damage:", "expected words for the model"),
    ("quiet: now", "expected nothing after the word"),
    ("gate:", "expected the name of a gate"),
    ("error: odd", "expected one of busy, refused"),
    ("error: busy retry_after=soon", "expected seconds for retry_after"),
    ("text: a\nmore: 0 x", "expected the number of a call that is begun, of 0, came 0"),
    ("eof\ntext: a", "expected nothing behind 'eof', came 'Said'"),
]


@pytest.mark.parametrize(("script", "expected"), REFUSED)
def test_what_cannot_be_read_is_told_with_what_was_expected(script: str, expected: str) -> None:
    """A script is written by a person, who wants to know what to write instead (ours)."""
    with pytest.raises(PlanError) as caught:
        parse_script(script)
    assert len(caught.value.problems) == 1
    assert expected in caught.value.problems[0]


def test_every_line_that_cannot_be_read_is_told_by_its_number() -> None:
    """All at once (ours)."""
    with pytest.raises(PlanError) as caught:
        parse_script("# a\nsing: la\n\ntext: a\ndance\n---\nfinish\n--- again\neof\neof\n")
    assert [problem.split(": ")[0] for problem in caught.value.problems] == [
        "script line 2",
        "script line 5",
        "script line 7",
        "script, turn of line 9",
    ]
