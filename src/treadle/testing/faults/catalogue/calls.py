"""Calls that are sound, under ids, indexes and cuts that are not: every tool is meant to run.

Rules the expectations follow: a known id wins over the index; a new id with a name opens a call; a piece without an id
goes on with the call of its index, or with the one open call.
"""

from treadle.testing.faults.scenario import Scenario, call, calls, done, say, stream
from treadle.testing.faults.steps import Done, Finish, Fragment, Turn

_CALLS = (Finish(reason="tool_calls"), Done())
_OK = stream(say("ok"), Finish(reason="stop"), Done())
_Q1, _Q2 = '{"q":"1"}', '{"q":"2"}'


def _asks(*fragments: Fragment) -> Turn:
    return stream(calls(*fragments), _CALLS)


def _scenario(
    name: str, says: str, *turns: Turn, lookup: int = 0, ping: int = 0, cases: tuple[str, ...] = ()
) -> Scenario:
    """Some turns of calls that all run, then "ok"."""
    ran = tuple((tool, runs) for tool, runs in (("lookup", lookup), ("ping", ping)) if runs)
    expected = done("ok", tools=ran, requests=len(turns) + 1)
    return Scenario(name=name, says=says, turns=(*turns, _OK), expected=expected, cases=cases)


CALLS = (
    _scenario(
        "missing_ids",
        "two calls without an id",
        _asks(Fragment(index=0, name="lookup", arguments=_Q1), Fragment(index=1, name="lookup", arguments=_Q2)),
        lookup=2,
        cases=("BR-041",),
    ),
    _scenario(
        "empty_ids",
        "two calls whose ids are empty",
        _asks(
            Fragment(index=0, call_id="", name="lookup", arguments=_Q1),
            Fragment(index=1, call_id="", name="lookup", arguments=_Q2),
        ),
        lookup=2,
    ),
    _scenario(
        "null_ids",
        "two calls whose ids are null",
        _asks(
            Fragment(index=0, call_id=None, name="lookup", arguments=_Q1),
            Fragment(index=1, call_id=None, name="lookup", arguments=_Q2),
        ),
        lookup=2,
    ),
    _scenario(
        "doubled_id",
        "two calls of one turn under one id, told apart by index and name",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments=_Q1),
            Fragment(index=1, call_id="A", name="lookup", arguments=_Q2),
        ),
        lookup=2,
    ),
    _scenario(
        "reused_id",
        "the second round uses the id of the first",
        _asks(Fragment(index=0, call_id="s:1", name="lookup", arguments=_Q1)),
        _asks(Fragment(index=0, call_id="s:1", name="lookup", arguments=_Q2)),
        lookup=2,
        cases=("BR-040",),
    ),
    _scenario(
        "changing_id",
        "each delta of one call has another id; only the first has a name",
        _asks(
            Fragment(index=0, call_id="A1", name="lookup", arguments='{"q":'),
            Fragment(index=0, call_id="A2", arguments='"1'),
            Fragment(index=0, call_id="A3", arguments='"}'),
        ),
        lookup=1,
    ),
    _scenario(
        "late_id",
        "the id comes after the name",
        _asks(
            Fragment(index=0, name="lookup", arguments=""),
            Fragment(index=0, call_id="A", arguments='{"q":'),
            Fragment(index=0, arguments='"1"}'),
        ),
        lookup=1,
    ),
    _scenario(
        "repeated_index",
        "two calls, both with index 0",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments=_Q1),
            Fragment(index=0, call_id="B", name="lookup", arguments=_Q2),
        ),
        lookup=2,
        cases=("BR-031",),
    ),
    _scenario(
        "shifting_index",
        "the head of the second call has the first one's index, its tail another",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments='{"q":'),
            Fragment(index=0, arguments='"1"}'),
            Fragment(index=0, call_id="B", name="lookup", arguments=""),
            Fragment(index=1, arguments=_Q2),
        ),
        lookup=2,
        cases=("BR-032",),
    ),
    _scenario(
        "missing_index",
        "no index at all in one turn, on the first of two calls only in the next",
        _asks(
            Fragment(call_id="A", name="lookup", arguments=_Q1),
            Fragment(call_id="B", name="lookup", arguments=""),
            Fragment(arguments='{"q":'),
            Fragment(arguments='"2"}'),
        ),
        _asks(
            Fragment(index=0, call_id="C", name="lookup", arguments=_Q1),
            Fragment(call_id="D", name="lookup", arguments=_Q2),
        ),
        lookup=4,
        cases=("BR-034",),
    ),
    _scenario(
        "null_index",
        "indexes are null",
        _asks(
            Fragment(index=None, call_id="A", name="lookup", arguments=_Q1),
            Fragment(index=None, call_id="B", name="lookup", arguments='{"q"'),
            Fragment(index=None, arguments=':"2"}'),
        ),
        lookup=2,
    ),
    _scenario(
        "index_from_one",
        "indexes begin at 1 and leave one out",
        _asks(
            Fragment(index=1, call_id="A", name="lookup", arguments=_Q1),
            Fragment(index=3, call_id="B", name="lookup", arguments=_Q2),
        ),
        lookup=2,
    ),
    _scenario(
        "orphan_with_one_open",
        "later pieces have a fresh index and no id while one call is open",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments='{"q":'),
            Fragment(index=1, arguments='"v"'),
            Fragment(index=2, arguments="}"),
        ),
        lookup=1,
        cases=("BR-035",),
    ),
    _scenario(
        "interleaved",
        "pieces of two calls by turns",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments='{"q":'),
            Fragment(index=1, call_id="B", name="lookup", arguments='{"q":'),
            Fragment(index=0, arguments='"1"}'),
            Fragment(index=1, arguments='"2"}'),
        ),
        lookup=2,
        cases=("BR-102",),
    ),
    _scenario(
        "interleaved_in_one_delta",
        "each delta has a piece of both calls",
        stream(
            call(
                Fragment(index=0, call_id="A", name="lookup", arguments=""),
                Fragment(index=1, call_id="B", name="lookup", arguments=""),
            ),
            call(Fragment(index=0, arguments=_Q1), Fragment(index=1, arguments=_Q2)),
            _CALLS,
        ),
        lookup=2,
    ),
    _scenario(
        "repeated_id_and_name",
        "each delta repeats id and name",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments="{"),
            Fragment(index=0, call_id="A", name="lookup", arguments='"q":"1"'),
            Fragment(index=0, call_id="A", name="lookup", arguments="}"),
        ),
        lookup=1,
        cases=("BR-037",),
    ),
    _scenario(
        "emptied_id_and_name",
        "later deltas have an empty id and an empty name",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments='{"q":'),
            Fragment(index=0, call_id="", name="", arguments='"1"}'),
        ),
        lookup=1,
    ),
    _scenario(
        "empty_trailing_delta",
        "after the arguments come an empty piece and one with nothing but its index",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments=_Q1),
            Fragment(index=0, arguments=""),
            Fragment(index=0),
        ),
        lookup=1,
        cases=("BR-038",),
    ),
    _scenario(
        "serial_calls",
        "one whole call after the other, no index and nothing between",
        _asks(
            Fragment(call_id="A", name="lookup", arguments=_Q1),
            Fragment(call_id="B", name="lookup", arguments=_Q2),
        ),
        lookup=2,
        cases=("BR-047",),
    ),
    _scenario(
        "calls_in_one_delta",
        "two whole calls in one delta",
        stream(
            call(
                Fragment(index=0, call_id="A", name="lookup", arguments=_Q1),
                Fragment(index=1, call_id="B", name="ping", arguments="{}"),
            ),
            _CALLS,
        ),
        lookup=1,
        ping=1,
    ),
    *(
        _scenario(
            f"{kind}_args",
            f"a tool without parameters is called with arguments that are {kind}",
            _asks(fragment),
            ping=1,
            cases=("BR-043",),
        )
        for kind, fragment in (
            ("empty", Fragment(index=0, call_id="A", name="ping", arguments="")),
            ("absent", Fragment(index=0, call_id="A", name="ping")),
            ("null", Fragment(index=0, call_id="A", name="ping", arguments=None)),
            ("blank", Fragment(index=0, call_id="A", name="ping", arguments="  \n")),
        )
    ),
    _scenario(
        "args_by_character",
        "arguments one character a delta, with characters of many bytes",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments=""),
            *(Fragment(index=0, arguments=character) for character in '{"q": "日本 🙂 \\u00e9"}'),
        ),
        lookup=1,
    ),
    _scenario(
        "long_args",
        "arguments of 100,000 characters",
        _asks(
            Fragment(index=0, call_id="A", name="lookup", arguments='{"q":"'),
            *(Fragment(index=0, arguments="x" * 1_000) for _ in range(100)),
            Fragment(index=0, arguments='"}'),
        ),
        lookup=1,
    ),
    _scenario(
        "half_surrogate_args",
        "an argument holds half a surrogate pair as an escape",
        _asks(Fragment(index=0, call_id="A", name="lookup", arguments='{"q":"a\\ud83d"}')),
        lookup=1,
        cases=("BR-186",),
    ),
)
