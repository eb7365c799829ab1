"""Kernel values, row by row of the reference."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from dataclasses import MISSING, FrozenInstanceError, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

import treadle
import treadle.values
from tests.values.event_samples import CALL, OUTCOME, QUESTION, RUN, SAMPLE_OF, SAMPLES, event
from treadle.codec.events import EVENT_SHAPES
from treadle.kernel.effects import CallTools, Close, Effect, Emit
from treadle.kernel.inputs import ModelTurned, Started, ToolReturned
from treadle.kernel.machine import Machine
from treadle.projections.typed.project import project
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.ids import NO_RUN, NO_THREAD, RunId
from treadle.values.limits import RunRules
from treadle.values.mappings import EMPTY
from treadle.values.model import TEXT, ModelDelta, ModelTurn
from treadle.values.outcome import InvocationOutcome
from treadle.values.requests import PromptAssembly, TurnRequest, assemble
from treadle.values.usage import COUNTS, NO_USAGE, UsageDelta, count_or_none

SRC = Path(treadle.__file__).parent
MODULES = [
    importlib.import_module(f"treadle.values.{found.name}") for found in pkgutil.iter_modules(treadle.values.__path__)
]
VALUES = [
    kind
    for module in MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.__name__
]
ASKED = TurnRequest(prompt="1+2?", run_id=RUN, root_run_id=RUN)


def run_turns(*turns: ModelTurn) -> list[Effect]:
    """A run whose model says these turns and whose calls all return; every effect it had."""
    machine = Machine()
    had = [*machine.receive(Started(request=ASKED, rules=RunRules(agent="a", model="m")))]
    for turn in turns:
        asked = machine.receive(ModelTurned(turn=turn))
        had += asked
        for request in (one for effect in asked if isinstance(effect, CallTools) for one in effect.requests):
            had += machine.receive(ToolReturned(outcome=ToolOutcome(call_id=request.call_id, content="3")))
    return had


def imported(path: Path) -> set[str]:
    """The modules that a file imports, by their first name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.requirement("V01")
@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_every_value_is_a_frozen_slotted_data_class(kind: Any) -> None:  # noqa: ANN401 (any data class)
    """Reference: immutable, all of them, in production as in tests."""
    assert kind.__dataclass_params__.frozen
    assert "__slots__" in vars(kind)
    assert all(field.kw_only for field in fields(kind))


@pytest.mark.requirement("V01")
@pytest.mark.parametrize("package", ["values", "kernel"])
def test_values_and_kernel_need_the_standard_library_alone(package: str) -> None:
    """Reference: the loop never learns a wire format, an SDK or a serialisation library."""
    for path in (SRC / package).rglob("*.py"):
        assert imported(path) <= sys.stdlib_module_names | {"treadle"}, path


@pytest.mark.requirement("V02")
def test_only_adapters_import_a_providers_library() -> None:
    """Reference: the adapter is the only code that knows both sides."""
    own = sys.stdlib_module_names | {
        "treadle",
        "msgspec",
        "pydantic",
        "pydantic_core",
        "typer",
        "rich",
        "click",
        "pytest",
    }
    # What is shipped for tests may use what tests are written with, and a server what serves.
    more = {
        "testing": {"hypothesis"},
        "server": {"anyio", "h11", "jwt", "prometheus_client", "starlette"},
        "app": {"starlette", "uvicorn"},
    }
    for path in SRC.rglob("*.py"):
        package = path.relative_to(SRC).parts[0]
        if package != "adapters":
            assert imported(path) <= own | more.get(package, set()), path


@pytest.mark.requirement("V03")
def test_an_outcome_needs_a_text_and_claims_nothing_more() -> None:
    """Reference: output None, collections empty, usage unreported, no label."""
    outcome = InvocationOutcome(text="")
    assert (outcome.output, outcome.messages, outcome.tool_outcomes, outcome.usage) == (None, (), (), NO_USAGE)
    assert (outcome.run_id, outcome.duration_ms, outcome.stop_reason, outcome.answer_at) == (NO_RUN, 0.0, None, 0)
    with pytest.raises(TypeError):
        InvocationOutcome()  # type: ignore[call-arg]  # the fault under test


@pytest.mark.requirement("V04", "V16")
def test_what_belongs_to_others_is_carried_and_handed_back_unread() -> None:
    """Reference: messages, tool outcomes and an adapter's payload are opaque."""

    class Theirs:
        def __getattribute__(self, name: str) -> object:
            raise AssertionError(f"somebody read {name!r}")

    theirs = Theirs()
    outcome = InvocationOutcome(text="", messages=(theirs,), tool_outcomes=(theirs,))
    assert outcome.messages[0] is outcome.tool_outcomes[0] is theirs
    machine = Machine()
    machine.receive(Started(request=ASKED, rules=RunRules(agent="a", model="m")))
    machine.receive(ModelTurned(turn=ModelTurn(text="3", payload=theirs)))
    assert machine.turns[-1].turn.payload is theirs


@pytest.mark.requirement("V05")
@pytest.mark.parametrize("kind", ev.EVENT_TYPES, ids=lambda kind: kind.kind)
def test_an_event_has_a_kind_an_index_and_a_run(kind: type[ev.KernelEvent]) -> None:
    """Reference: all three are required."""
    needed = [field.name for field in fields(kind) if field.default is field.default_factory is MISSING]
    assert needed[:2] == ["index", "run_id"]
    assert isinstance(kind.kind, str)


@pytest.mark.requirement("V07")
def test_what_the_machine_makes_has_no_index() -> None:
    """Reference: only one numbers events; ours: the writer, when it seals a draft."""
    drafts = [effect for effect in run_turns(ModelTurn(text="3")) if isinstance(effect, Emit | Close)]
    assert {type(draft) for draft in drafts} == {Emit, Close}
    assert not [draft for draft in drafts if {"index", "run_id"} & set(draft.fields)]


@pytest.mark.requirement("V08")
@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (ev.TextDelta, "text"),
        (ev.ToolCall, "request"),
        (ev.ToolResult, "outcome"),
        (ev.Done, "outcome"),
        (ev.Error, "code"),
    ],
)
def test_an_event_cannot_be_without_what_it_is_about(kind: type[ev.KernelEvent], payload: str) -> None:
    """Reference: optional slots of one class; ours: required fields of many."""
    sample = SAMPLE_OF[kind]
    given = {field.name: getattr(sample, field.name) for field in fields(kind) if field.name != payload}
    with pytest.raises(TypeError, match=payload):
        kind(**given)


@pytest.mark.requirement("V09")
def test_a_stage_has_frozen_counts_that_are_empty_by_default() -> None:
    """Reference: an immutable mapping."""
    stage = event(ev.Stage, stage_id="s1", phase="recall")
    assert (stage.capability, stage.outcome, stage.reason, stage.counts) == ("", None, None, EMPTY)
    with pytest.raises(TypeError):
        event(ev.Stage, stage_id="s1", phase="recall", counts={"blocks": 1}).counts["blocks"] = 2


@pytest.mark.requirement("V10")
def test_a_notice_of_loss_says_what_how_many_and_which() -> None:
    """Reference: a bounded pipeline may drop, but must say so."""
    needed = [field.name for field in fields(ev.Dropped) if field.default is MISSING]
    assert needed == ["index", "run_id", "dropped_kind", "count", "first", "last"]


@pytest.mark.requirement("V11")
@pytest.mark.parametrize("kind", ev.FINAL_TYPES, ids=lambda kind: kind.kind)
def test_a_final_event_says_why_the_run_ended(kind: type[ev.FinalEvent]) -> None:
    """Reference: a termination reason."""
    sample = SAMPLE_OF[kind]
    assert isinstance(sample, ev.FINAL_TYPES)
    assert sample.termination


@pytest.mark.requirement("V12")
def test_a_pause_carries_all_that_is_open() -> None:
    """Reference: one pending interrupt; ours: those of the whole round."""
    paused = event(ev.Interrupt, outcome=OUTCOME, pending=(QUESTION, QUESTION))
    assert paused.pending == (QUESTION, QUESTION)


@pytest.mark.requirement("V13")
def test_every_readers_table_is_over_the_one_union() -> None:
    """Reference: a single pipeline for everything."""
    assert set(EVENT_SHAPES) == set(get_args(ev.KernelEvent)) == {type(sample) for sample in SAMPLES}
    for sample in SAMPLES:
        assert isinstance(project(sample), tuple)


@pytest.mark.requirement("V14", "V15")
def test_a_delta_is_a_kind_and_a_text_and_a_turn_claims_nothing() -> None:
    """Reference: what a model did not say is not there."""
    assert [field.name for field in fields(ModelDelta)] == ["kind", "text"]
    assert ModelDelta(kind=TEXT, text="x") == ModelDelta(kind="text", text="x")
    turn = ModelTurn()
    assert (turn.text, turn.tool_requests, turn.usage, turn.stop_reason, turn.payload) == ("", (), NO_USAGE, None, None)


@pytest.mark.requirement("V17", "V18")
def test_a_prompt_is_a_value_that_the_same_plan_and_request_give_again() -> None:
    """Reference: a pure function, no side effect."""
    made = assemble(instructions=None, request=ASKED)
    assert made == assemble(instructions=None, request=ASKED) == PromptAssembly(prompt="1+2?")
    assert (made.instructions, made.attachments, made.history, made.system_blocks) == (None, (), (), ())
    with pytest.raises(FrozenInstanceError):
        made.prompt = "x"  # type: ignore[misc]  # the fault under test


@pytest.mark.requirement("V19")
def test_a_tool_request_has_frozen_arguments_that_are_empty_by_default() -> None:
    """Reference: an immutable mapping."""
    assert ToolRequest(call_id=CALL, name="add").arguments is EMPTY
    with pytest.raises(TypeError):
        ToolRequest(name="add", arguments={"a": 1}).arguments["a"] = 2  # type: ignore[index]  # the fault under test


@pytest.mark.requirement("V20")
@pytest.mark.parametrize("ids", [("", ""), ("x", "x"), ("x", "y")], ids=["missing", "doubled", "used again"])
def test_the_kernel_gives_every_call_an_id_of_its_own(ids: tuple[str, str]) -> None:
    """Reference: providers omit ids and use them again in a later round."""
    turn = ModelTurn(tool_requests=tuple(ToolRequest(name="add", provider_id=one) for one in ids))
    had = run_turns(turn, turn, ModelTurn(text="3"))
    requests = [one for effect in had if isinstance(effect, CallTools) for one in effect.requests]
    assert [one.call_id for one in requests] == ["r1.c1", "r1.c2", "r1.c3", "r1.c4"]
    assert [one.provider_id for one in requests] == [*ids, *ids]


@pytest.mark.requirement("V21", "V23")
def test_a_request_says_whose_run_it_is_and_whose_child() -> None:
    """Reference: everything but the prompt and the run is empty or None."""
    assert (ASKED.attachments, ASKED.history, ASKED.properties) == ((), (), EMPTY)
    assert (ASKED.parent_run_id, ASKED.scope, ASKED.thread_id) == (None, None, NO_THREAD)
    child = TurnRequest(prompt="x", run_id=RunId("r2"), root_run_id=RUN, parent_run_id=RUN)
    assert (child.root_run_id, child.parent_run_id) == (RUN, RUN)


@pytest.mark.requirement("V22")
def test_a_caller_can_give_no_instructions() -> None:
    """Reference: changing them needs a recompile."""
    with pytest.raises(TypeError):
        TurnRequest(prompt="x", run_id=RUN, root_run_id=RUN, instructions="be rude")  # type: ignore[call-arg]  # the fault under test


@pytest.mark.requirement("V24", "V25")
def test_usage_is_counts_that_are_unreported_until_somebody_reports_them() -> None:
    """Reference: zero is never free, and nothing is estimated."""
    assert [getattr(NO_USAGE, name) for name in COUNTS] == [0] * 6
    assert NO_USAGE.cache_ttl is None
    assert [count_or_none(NO_USAGE, name) for name in COUNTS] == [None] * 6
    total = UsageDelta(input_tokens=7) + UsageDelta(output_tokens=3)
    assert (total.input_tokens, total.output_tokens, total.total_tokens) == (7, 3, 0)
    assert count_or_none(UsageDelta(reported=frozenset({"input_tokens"})), "input_tokens") == 0


@pytest.mark.requirement("V26")
def test_mixed_cache_times_sum_to_none() -> None:
    """Reference: undefined; ours: the counts add up and the time is not told."""
    mixed = UsageDelta(cache_creation_tokens=1, cache_ttl="5m") + UsageDelta(cache_creation_tokens=2, cache_ttl="1h")
    assert mixed == UsageDelta(cache_creation_tokens=3, cache_ttl=None)


@pytest.mark.requirement("V27")
def test_a_value_that_holds_a_mapping_is_no_key() -> None:
    """Reference: do not key on it."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(ToolRequest(name="add", arguments={"a": 1}))
