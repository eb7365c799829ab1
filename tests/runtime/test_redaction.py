"""Redaction of what is not speech."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.agents import scripted
from treadle.plan.tools import tool
from treadle.runtime.asking import answers_schema
from treadle.runtime.redaction import Redaction
from treadle.text.filters.redact import RedactFilter
from treadle.text.filters.think import ThinkTagFilter
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.facts import OutcomeKept, TurnKept
from treadle.values.ids import CallId, InterruptId
from treadle.values.pauses import PauseKind, PendingInterrupt, Resolution, Settlement

SECRET = "sk-" + "a1B2" * 10
CALL = CallId("r1.c1")


def redaction() -> Redaction:
    """The redaction of one run."""
    made = Redaction.among([ThinkTagFilter(), RedactFilter()])
    assert made is not None
    return made


def test_without_a_redacting_filter_there_is_none():
    """Ours: who asks for no redaction pays for none."""
    assert Redaction.among([]) is None
    assert Redaction.among([ThinkTagFilter()]) is None


REQUEST = ToolRequest(name="t", arguments={"key": SECRET, "n": 1}, raw_arguments=f'{{"key": "{SECRET}"', damage="cut")
PENDING = PendingInterrupt(
    interrupt_id=InterruptId("r1.i1"), kind=PauseKind.APPROVAL, call_id=CALL, request={"arguments": {"key": SECRET}}
)
ANSWER = Resolution(
    interrupt_id=InterruptId("r1.i1"), settlement=Settlement.ANSWERED, value={"key": SECRET}, reason=f"use {SECRET}"
)


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        (ev.RunStarted, {"prompt": f"my key is {SECRET}"}),
        (ev.Resumed, {"resolutions": (ANSWER,)}),
        (ev.ToolAnnounced, {"call_id": CALL, "name": SECRET}),
        (ev.ToolCall, {"request": ToolRequest(name=SECRET), "streamed": True}),
        (ev.ToolCall, {"request": REQUEST, "streamed": True}),
        (ev.ToolProgress, {"call_id": CALL, "sequence": 0, "payload": [SECRET, {"deep": (SECRET,)}]}),
        (ev.ToolResult, {"outcome": ToolOutcome(call_id=CALL, content={"key": SECRET})}),
        (ev.ToolResult, {"outcome": ToolOutcome(call_id=CALL, status=ToolStatus.FAILED, error=f"bad {SECRET}")}),
        (ev.Extension, {"payload": {"key": SECRET}}),
        (ev.AskUser, {"pending": (PENDING,)}),
        (ev.Interrupt, {"pending": (PENDING,)}),
        (ev.Error, {"code": "stalled", "detail": f"of {SECRET}"}),
        (ev.Cancelled, {"reason": f"key {SECRET} leaked"}),
    ],
)
def test_the_strings_of_every_event_are_redacted_and_the_rest_stays(event, fields):
    """Design §5: redaction is over thinking and the strings of other events too."""
    shown = redaction().fields(event, fields)
    assert SECRET in repr(fields)
    assert SECRET not in repr(shown)
    assert shown.keys() == fields.keys()


def test_what_has_no_foreign_strings_is_left_alone():
    """Ours: names, numbers and codes are ours."""
    fields = {"round": 1, "attempt": 1, "model": "m"}
    assert redaction().fields(ev.RoundStarted, fields) is fields


def test_nothing_in_it_is_nothing_to_redact():
    """Ours: a run that was cancelled without a reason has none."""
    assert redaction().fields(ev.Cancelled, {"reason": None}) == {"reason": None}
    whole = ToolRequest(name="t", arguments={"n": 1})
    assert redaction().request(whole) == whole


@given(st.lists(st.integers(0, len(SECRET) + 20), max_size=5))
def test_argument_pieces_are_redacted_however_they_are_cut(cuts):
    """Promise 9: the same for every way of cutting; one instance a call, so that calls do not mix."""
    text = f'{{"key": "{SECRET}", "n": 1}}'
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    pieces = [text[begin:end] for begin, end in pairwise(places)]
    made, shown = redaction(), {CallId("a"): "", CallId("b"): ""}
    for piece in pieces:
        for call in shown:
            shown[call] += made.arguments(call, piece)
    for call, rest in made.rest():
        shown[call] += rest
    assert len(set(shown.values())) == 1
    assert SECRET not in shown[CallId("a")]
    assert made.rest() == []


def test_argument_pieces_and_the_call_show_one_thing():
    """Design §5: a letter of an escape is no letter before a secret, and an escape hides none."""
    text = f'{{"a":"key:\\n{SECRET}","s\\u006b{SECRET[2:]}":"\\nbob\\u0040example.com"}}'
    arguments = json.loads(text)
    made = redaction()
    shown = made.arguments(CALL, text) + "".join(rest for _, rest in made.rest())
    assert json.loads(shown) == {"a": "key:\n[redacted]", "[redacted]": "\n[redacted]"}
    assert json.loads(shown) == made.request(ToolRequest(name="t", arguments=arguments)).arguments


def test_the_text_of_a_damaged_call_is_read_as_its_pieces_were():
    """Ours: an escape hides no secret there either."""
    text = f'{{"a": "\\n{SECRET}'
    shown = redaction().request(ToolRequest(name="t", raw_arguments=text, damage="cut"))
    assert shown.raw_arguments == '{"a": "\\n[redacted]'


def test_what_was_held_of_a_void_turn_is_forgotten():
    """EV-10: a retracted call says no more."""
    made = redaction()
    made.arguments(CALL, '{"q": "sk')
    made.forget()
    assert made.rest() == []


async def test_facts_and_the_call_itself_keep_what_is_true():
    """Law 5: redaction cuts events, not facts: a call runs with its true arguments, and the model is told the truth."""
    ran = []

    @tool
    async def use(key: str) -> str:
        """Use a key."""
        ran.append(key)
        return f"used {key}"

    script = f'text: I use {SECRET} now\ncall: use {{"key": "{SECRET}"}}\n---\ntext: done'
    agent = scripted(script, tools=[use], text_filters=["redact"])
    async with agent.events(f"use {SECRET}") as run:
        events = [event async for event in run]
    assert ran == [SECRET]
    assert SECRET not in repr(events)
    kept = [entry for stretch in run._parts.runs.runs for entry in stretch.items]  # noqa: SLF001 (facts are shown to nobody)
    facts = [entry for entry in kept if isinstance(entry, OutcomeKept | TurnKept)]
    assert SECRET in repr([fact for fact in facts if isinstance(fact, TurnKept)])
    assert SECRET in repr([fact for fact in facts if isinstance(fact, OutcomeKept)])


@pytest.mark.requirement("PAUSE-redacted")
def test_options_that_read_alike_are_told_apart_and_the_schema_says_no_more():
    """Law 5: a choice between secrets can be made, and nothing of them is shown, in the answer's schema neither."""
    labels = [SECRET, "other", f"sk-{'c3D4' * 10}", "[redacted] (3)"]
    question = {
        "question_id": "q1", "text": f"{SECRET}?", "header": "Key", "multi_select": False, "allow_other": False,
        "options": [{"label": label, "description": label} for label in labels],
    }  # fmt: skip
    asked = PendingInterrupt(
        interrupt_id=InterruptId("r1.i1"),
        kind=PauseKind.ASK_USER,
        call_id=CALL,
        request={"questions": [question]},
        response_schema=answers_schema([question]),
    )
    shown = redaction().pending(asked)
    (told,) = shown.request["questions"]
    read = [option["label"] for option in told["options"]]
    assert read[:3] == ["[redacted] (1)", "other", "[redacted] (3)"]
    assert len(set(read)) == len(read)
    assert list(shown.response_schema["properties"]["q1"]["properties"]["chosen"]["items"]["enum"]) == read
    assert "sk-" not in repr(shown)
