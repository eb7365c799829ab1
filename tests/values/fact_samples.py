"""One full example of each class of fact, no field at its default where it can be otherwise."""

from __future__ import annotations

from tests.values.event_samples import APPROVAL, CALL, QUESTION, REQUEST, RUN, USAGE
from treadle.values import facts as fa
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.facts import Ending, Fact
from treadle.values.ids import RunId, ThreadId
from treadle.values.limits import Limits, Retries, RunRules
from treadle.values.model import ModelTurn, StopReason
from treadle.values.pauses import Decision, Resolution, Settlement
from treadle.values.requests import Attachment, TurnMessage, TurnRequest, UserMessage

DAMAGED = ToolRequest(
    call_id=CALL, name="add", provider_id="call_d", raw_arguments='{"a":', damage="the arguments are no JSON"
)
FAILED = ToolOutcome(call_id=CALL, status=ToolStatus.FAILED, content={"tried": 1}, error="boom", duration_ms=2.5)
TURN = ModelTurn(
    text="Let me look.",
    tool_requests=(REQUEST, DAMAGED),
    usage=USAGE,
    stop_reason=StopReason.TOOL_CALLS,
    payload={"seal": "s1"},
    damage="fragments without an owner",
    thinking="hm",
)
TURN_REQUEST = TurnRequest(
    prompt="1+2?",
    attachments=(Attachment(media_type="image/png", data=b"\x89PNG\x00", name="sum.png"),),
    history=(
        UserMessage(text="hi", attachments=(Attachment(media_type="text/plain", url="https://example.org/a"),)),
        TurnMessage(turn=TURN, outcomes=(ToolOutcome(call_id=CALL, content={"sum": 3}), FAILED)),
        TurnMessage(turn=ModelTurn(text="It i"), cut=True),
    ),
    run_id=RUN,
    root_run_id=RunId("r0"),
    parent_run_id=RunId("r0"),
    thread_id=ThreadId("t1"),
    scope="u1",
    properties={"locale": "de", "nested": {"a": [1, 2.5, None]}},
)
RULES = RunRules(
    agent="calc",
    model="gpt",
    limits=Limits(rounds=3, tool_calls=None, wall_clock_s=float("inf"), stall_s=1.5, output_bytes=99, tokens=1000),
    retries=Retries(attempts=2, first_wait_s=0.5, longest_wait_s=4, after_output=True),
    recalls=True,
)

FACT_SAMPLES: tuple[Fact, ...] = (
    fa.RequestKept(request=TURN_REQUEST, rules=RULES),
    fa.RecallKept(blocks=("likes sums", "")),
    fa.RoundOpened(round=2, attempt=3),
    fa.RoundCut(round=2, attempt=3, usage=USAGE, code="upstream_truncated"),
    fa.TurnKept(round=2, attempt=3, turn=TURN, streamed=frozenset({2, 0, 1})),
    fa.OutcomeKept(outcome=FAILED),
    fa.PauseKept(pending=QUESTION),
    fa.DecisionKept(interrupt_id=APPROVAL.interrupt_id, decision=Decision.DENY, by="ann", at_s=12.5),
    fa.CancelKept(by="ann", at_s=12.5, reason="stop button"),
    fa.AnswerKept(
        resolution=Resolution(
            interrupt_id=APPROVAL.interrupt_id, settlement=Settlement.DECLINED, value={"a": 1}, reason="not now"
        )
    ),
    fa.EndBegun(
        ending=Ending(
            code="limit_tokens",
            error_class="limit",
            retryable=True,
            reference="ref1",
            detail="dsn=postgres://u:p@h",
            termination="limit_tokens",
            reason="stop button",
            stops=False,
        )
    ),
)
FACT_SAMPLE_OF: dict[type[Fact], Fact] = {type(sample): sample for sample in FACT_SAMPLES}
