"""Steps to what the model port yields."""

from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.models.scripted.speech import Move, played
from treadle.adapters.models.scripted.steps import (
    Attempt,
    Called,
    Carried,
    Continued,
    Fault,
    FaultKind,
    Finished,
    Gate,
    Quiet,
    Said,
    Unclear,
    Used,
    Whole,
)
from treadle.values.calls import ToolRequest
from treadle.values.model import (
    ARGUMENTS,
    TEXT,
    THINKING,
    CallNamed,
    ModelItem,
    ModelTurn,
    StopReason,
    TurnEnded,
    UsageTold,
)
from treadle.values.usage import UsageDelta

WORDS = st.text(min_size=1, max_size=5)
PLAIN_STEPS = (
    st.builds(Said, kind=st.sampled_from([TEXT, THINKING]), pieces=st.lists(WORDS, min_size=1, max_size=3).map(tuple))
    | st.builds(Whole, text=WORDS)
    | st.builds(
        Called, name=WORDS, arguments=st.text(max_size=9), provider_id=st.text(max_size=2), cut=st.integers(1, 12)
    )
    | st.builds(Used, usage=st.builds(UsageDelta, input_tokens=st.integers(0, 9)))
    | st.builds(Finished, reason=st.sampled_from(StopReason))
    | st.builds(Carried, payload=st.integers())
    | st.builds(Unclear, damage=WORDS)
    | st.just(Quiet())
    | st.builds(Gate, name=WORDS)
)


@st.composite
def _attempts(draw: st.DrawFn) -> Attempt:
    steps = draw(st.lists(PLAIN_STEPS, max_size=8))
    calls = sum(isinstance(step, Called) for step in steps)
    if calls:
        steps += draw(st.lists(st.builds(Continued, slot=st.integers(0, calls - 1), text=WORDS), max_size=4))
    steps += draw(st.lists(st.builds(Fault, kind=st.sampled_from(FaultKind)), max_size=1))
    return tuple(steps)


def _items(moves: tuple[Move, ...]) -> list[ModelItem]:
    return [item for move in moves if isinstance(move, tuple) for item in move]


@given(attempt=_attempts(), items_per_read=st.integers(1, 4))
def test_every_attempt_keeps_the_contract_of_the_model_port(attempt: Attempt, items_per_read: int) -> None:
    """Whole pieces, calls named before their pieces, the ended turn last and only without a fault (the model port)."""
    moves = played(attempt, items_per_read=items_per_read)
    items = _items(moves)
    current, opened, said = -1, 0, {TEXT: "", THINKING: ""}
    texts: dict[int, str] = {}
    for item in items:
        match item:
            case CallNamed(slot=slot):
                assert slot <= opened
                opened += slot == opened
                current = slot
            case (kind, text) if kind == ARGUMENTS:
                assert text
                texts[current] = texts.get(current, "") + text
            case (kind, text):
                assert text
                said[kind] += text
            case _:
                pass
    breaks = bool(attempt) and isinstance(attempt[-1], Fault)
    ends = [item for item in items if isinstance(item, TurnEnded)]
    assert len(ends) == (0 if breaks else 1)
    if breaks:
        assert moves[-1] == attempt[-1]
        return
    assert items[-1] is ends[0]
    turn = ends[0].turn
    assert turn.thinking == said[THINKING]
    assert len(turn.tool_requests) == opened
    for slot, request in enumerate(turn.tool_requests):
        assert request.raw_arguments in (None, texts.get(slot, ""))
        assert (request.raw_arguments is None) == (request.damage is None)


@given(attempt=_attempts(), items_per_read=st.integers(1, 4))
def test_how_items_are_put_into_reads_does_not_change_them(attempt: Attempt, items_per_read: int) -> None:
    """A read is the provider's affair (ours)."""
    one = played(attempt)
    many = played(attempt, items_per_read=items_per_read)
    assert _items(many) == _items(one)
    assert [move for move in many if not isinstance(move, tuple)] == [
        move for move in one if not isinstance(move, tuple)
    ]
    assert many.count(()) == one.count(())


def test_a_turn_is_told_piece_by_piece_and_then_whole() -> None:
    """What is yielded for the example of the notation (ours)."""
    usage = UsageDelta(input_tokens=10, output_tokens=5)
    attempt = (
        Said(kind=THINKING, pieces=("Let me add.",)),
        Said(pieces=("Let me ", "see.")),
        Called(name="add", arguments='{"a": 1, "b": 2}', provider_id="c1", cut=3),
        Called(name="ping"),
        Called(name="bad", arguments="{"),
        Used(usage=usage),
    )
    damage = "the arguments are not one JSON object: expecting property name enclosed in double quotes at character 1"
    assert played(attempt) == (
        ((THINKING, "Let me add."),),
        ((TEXT, "Let me "),),
        ((TEXT, "see."),),
        (CallNamed(slot=0, name="add", provider_id="c1"),),
        ((ARGUMENTS, '{"a":'),),
        ((ARGUMENTS, ' 1, "'),),
        ((ARGUMENTS, 'b": 2}'),),
        (CallNamed(slot=1, name="ping"),),
        (CallNamed(slot=2, name="bad"),),
        ((ARGUMENTS, "{"),),
        (UsageTold(usage=usage),),
        (
            TurnEnded(
                turn=ModelTurn(
                    text="Let me see.",
                    thinking="Let me add.",
                    tool_requests=(
                        ToolRequest(name="add", arguments={"a": 1, "b": 2}, provider_id="c1"),
                        ToolRequest(name="ping"),
                        ToolRequest(name="bad", raw_arguments="{", damage=damage),
                    ),
                    usage=usage,
                    stop_reason=StopReason.TOOL_CALLS,
                )
            ),
        ),
    )


def test_pieces_of_two_calls_may_alternate() -> None:
    """Whenever they go over to another call, it is named again (the model port)."""
    attempt = (
        Called(name="f", arguments='{"x":'),
        Called(name="g", arguments="{}"),
        Continued(slot=0, text="1"),
        Continued(slot=0, text="}"),
    )
    moves = played(attempt, items_per_read=100)
    assert [item for item in _items(moves) if not isinstance(item, TurnEnded)] == [
        CallNamed(slot=0, name="f"),
        (ARGUMENTS, '{"x":'),
        CallNamed(slot=1, name="g"),
        (ARGUMENTS, "{}"),
        CallNamed(slot=0, name="f"),
        (ARGUMENTS, "1"),
        (ARGUMENTS, "}"),
    ]


def test_labels_payload_and_text_that_comes_whole_stand_in_the_turn() -> None:
    """A label may lie; the machine decides from content (ours)."""
    attempt = (Whole(text="a"), Carried(payload=1), Unclear(damage="two in one"), Finished(reason=StopReason.LENGTH))
    assert played(attempt) == (
        (TurnEnded(turn=ModelTurn(text="a", payload=1, damage="two in one", stop_reason=StopReason.LENGTH)),),
    )
    assert played(()) == ((TurnEnded(turn=ModelTurn(stop_reason=StopReason.STOP)),),)


def test_waits_and_faults_stand_between_the_reads() -> None:
    """What was said before them is given first (ours)."""
    attempt = (
        Said(pieces=("a",)),
        Quiet(),
        Said(pieces=("b",)),
        Gate(name="g"),
        Gate(name="h"),
        Fault(kind=FaultKind.EOF),
    )
    assert played(attempt, items_per_read=9) == (
        ((TEXT, "a"),),
        (),
        ((TEXT, "b"),),
        Gate(name="g"),
        Gate(name="h"),
        Fault(kind=FaultKind.EOF),
    )
