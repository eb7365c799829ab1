"""Calls that need leave."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.agents import all_events, kinds, scripted
from treadle.plan.tools import tool
from treadle.runtime.approvals import approval_of, arguments_digest
from treadle.values import events as ev
from treadle.values.calls import ToolRequest
from treadle.values.pauses import PauseKind

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
    asked = approval_of(ToolRequest(name="pay", arguments={"cents": 5}))
    assert (asked.kind, asked.request) == (PauseKind.APPROVAL, {"name": "pay", "arguments": {"cents": 5}})


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
