"""Calls that must not run: the model is told what broke, and the run goes on."""

from treadle.testing.faults.scenario import Scenario, calls, done, say, stream
from treadle.testing.faults.steps import Done, Finish, Fragment

_CALLS = (Finish(reason="tool_calls"), Done())
_OK = stream(say("ok"), Finish(reason="stop"), Done())


def _scenario(
    name: str, says: str, *fragments: Fragment, refused: int = 1, lookup: int = 0, cases: tuple[str, ...] = ()
) -> Scenario:
    """One turn of calls, some of which do not run, then "ok"."""
    ran = (("lookup", lookup),) if lookup else ()
    expected = done("ok", tools=ran, refused=refused, requests=2)
    turns = (stream(calls(*fragments), _CALLS), _OK)
    return Scenario(name=name, says=says, turns=turns, expected=expected, cases=cases)


def _add(arguments: str) -> Fragment:
    return Fragment(index=0, call_id="A", name="add", arguments=arguments)


def _lookup(arguments: str) -> Fragment:
    return Fragment(index=0, call_id="A", name="lookup", arguments=arguments)


DAMAGED_CALLS = (
    _scenario("truncated_args", "the arguments end in mid text", _lookup('{"q": "x'), cases=("BR-044",)),
    _scenario("malformed_args", "the arguments are no JSON", _lookup('{"q": tea}')),
    _scenario("wrong_typed_args", "a word where a number belongs", _add('{"a": "one", "b": 2}')),
    _scenario("missing_arg", "an argument that is needed is left out", _add('{"a": 1}')),
    _scenario("args_are_a_list", "the arguments are JSON and no object", _lookup('["q"]')),
    _scenario("args_hold_nan", "NaN is no JSON", _add('{"a": NaN, "b": 2}')),
    _scenario("doubled_args", "the arguments come twice", _lookup('{"q":"1"}{"q":"1"}')),
    _scenario(
        "overlapping_args",
        "the last delta repeats characters that were sent already",
        _lookup('{"q": "teapot'),
        Fragment(index=0, arguments='"}'),
        Fragment(index=0, arguments='ot"}'),
        cases=("BR-046",),
    ),
    _scenario(
        "empty_args_needed",
        "no arguments for a tool that needs one",
        Fragment(index=0, call_id="A", name="lookup", arguments=""),
    ),
    _scenario(
        "unknown_tool",
        "a tool nobody has, beside one that is there",
        Fragment(index=0, call_id="A", name="no such tool", arguments="{}"),
        Fragment(index=1, call_id="B", name="lookup", arguments='{"q":"1"}'),
        lookup=1,
        cases=("BR-050",),
    ),
    _scenario(
        "nameless_call",
        "a call whose name never comes",
        Fragment(index=0, call_id="A", arguments="{}"),
    ),
    _scenario(
        "damaged_beside_sound",
        "one of two calls is cut",
        Fragment(index=0, call_id="A", name="lookup", arguments='{"q": "1'),
        Fragment(index=1, call_id="B", name="lookup", arguments='{"q":"2"}'),
        lookup=1,
    ),
    _scenario(
        "orphan_with_two_open",
        "a piece without an id and with a fresh index while two calls are open: its owner is never guessed",
        Fragment(index=0, call_id="A", name="lookup", arguments='{"q":'),
        Fragment(index=1, call_id="B", name="lookup", arguments='{"q":'),
        Fragment(index=2, arguments='"v"}'),
        refused=2,
        cases=("BR-035",),
    ),
)
