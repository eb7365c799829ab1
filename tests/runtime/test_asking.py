"""Calls that wait for people."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.agents import all_events, kinds, scripted
from treadle.plan.tools import tool
from treadle.ports.toolbox import InterruptAsk
from treadle.runtime.asking import arguments_digest, ask_of, interrupt_of
from treadle.values import events as ev
from treadle.values.calls import ToolRequest
from treadle.values.pauses import OnExpiry, PauseKind
from treadle.values.tools import ToolSpec

words = st.text(max_size=4)
json_terms = st.recursive(
    st.none() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(words, json_terms, max_size=4))
def test_equal_arguments_have_one_digest_whatever_their_order(arguments):
    """Promise 7: a pause is bound to the exact arguments, not to how they were written."""
    reordered = dict(reversed(list(arguments.items())))
    assert arguments_digest(arguments) == arguments_digest(reordered)


def test_another_value_is_another_digest():
    """Promise 7: arguments that were swapped are seen."""
    assert arguments_digest({"a": 1}) != arguments_digest({"a": 2}) != arguments_digest({"a": "2"})


def test_the_question_holds_the_whole_call():
    """Promise 7: a person sees exactly what would run."""
    spec = ToolSpec(name="pay", description="", parameters={"type": "object"})
    request = ToolRequest(name="pay", arguments={"cents": 5})
    asked = ask_of(request, spec, needs_approval=True, expires_at=7.0, on_expiry=OnExpiry.FAIL)
    assert asked is not None
    assert (asked.kind, asked.request) == (PauseKind.APPROVAL, {"name": "pay", "arguments": {"cents": 5}})
    assert asked.response_schema["properties"]["arguments"] == {"type": "object"}
    assert (asked.expires_at, asked.on_expiry) == (7.0, OnExpiry.FAIL)
    assert ask_of(request, spec, needs_approval=False, expires_at=None, on_expiry=OnExpiry.KEEP) is None


QUESTION = {"text": "Which colour?", "header": "Colour", "options": [{"label": "red"}, {"label": "blue"}]}


def test_questions_get_ids_and_a_form_of_answer_from_us():
    """Design: ids are stamped by us; the form says what may be chosen."""
    spec = ToolSpec(name="ask_user", description="", parameters={}, asks=PauseKind.ASK_USER)
    questions = [QUESTION, {**QUESTION, "multi_select": True, "allow_other": True}]
    request = ToolRequest(name="ask_user", arguments={"questions": questions})
    asked = ask_of(request, spec, needs_approval=False, expires_at=None, on_expiry=OnExpiry.DECLINE)
    assert asked is not None
    assert [one["question_id"] for one in asked.request["questions"]] == ["q1", "q2"]
    assert asked.request["questions"][0]["options"][0] == {"label": "red", "description": ""}
    one, many = (asked.response_schema["properties"][name]["properties"] for name in ("q1", "q2"))
    assert (one["chosen"]["maxItems"], many["chosen"]["maxItems"]) == (1, 2)
    assert ("other" in one, "other" in many) == (False, True)
    assert asked.arguments_digest == arguments_digest(asked.request)


def test_work_of_the_front_end_shows_the_call_and_the_form_of_its_result():
    """Ours: a tool without a function is asked for, and says what it wants back."""
    result = {"type": "string"}
    spec = ToolSpec(name="pick", description="", parameters={}, asks=PauseKind.FRONT_END, result_schema=result)
    request = ToolRequest(name="pick", arguments={"kind": "png"})
    asked = ask_of(request, spec, needs_approval=False, expires_at=None, on_expiry=OnExpiry.DECLINE)
    assert asked is not None
    assert (asked.kind, asked.request) == (PauseKind.FRONT_END, {"name": "pick", "arguments": {"kind": "png"}})
    assert asked.response_schema == result


def test_an_interrupt_is_bound_to_its_payload():
    """Promise 7: another payload is another digest."""
    asks = [InterruptAsk(name="confirm", payload={"cents": cents}) for cents in (5, 6)]
    five, six = (interrupt_of(ask, expires_at=None, on_expiry=OnExpiry.DECLINE) for ask in asks)
    assert five.request == {"name": "confirm", "payload": {"cents": 5}}
    assert five.arguments_digest != six.arguments_digest


async def test_a_call_that_needs_leave_waits_while_its_siblings_settle():
    """A round's other calls settle first; one closing event asks; the call does not run."""
    ran: list[str] = []

    @tool(requires_approval=True)
    async def pay(cents: int) -> str:
        """Pay."""
        ran.append("pay")
        return f"paid {cents}"

    @tool
    async def look() -> str:
        """Look."""
        ran.append("look")
        return "seen"

    script = 'text: hm\ncall: pay {"cents": 5}\ncall: look {}\n---\ntext: x'
    events = await all_events(scripted(script, tools=[pay, look]))
    assert kinds(events)[-3:] == ["tool_call", "tool_result", "interrupt"]
    assert ran == ["look"]
    closing = events[-1]
    assert isinstance(closing, ev.Interrupt)
    assert [pause.request["name"] for pause in closing.pending] == ["pay"]
    assert closing.outcome.text == "hm"


async def test_a_rule_decides_by_the_arguments():
    """A callable gets the arguments and says whether a person is asked."""

    @tool(requires_approval=lambda arguments: arguments["cents"] > 100)
    async def pay(cents: int) -> str:
        """Pay."""
        return f"paid {cents}"

    small = await all_events(scripted('call: pay {"cents": 5}\n---\ntext: x', tools=[pay]))
    large = await all_events(scripted('call: pay {"cents": 500}\n---\ntext: x', tools=[pay]))
    assert (small[-1].kind, large[-1].kind) == ("done", "interrupt")
