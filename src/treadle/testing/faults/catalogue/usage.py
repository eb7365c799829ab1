"""Where counts come, how often, and what they hold."""

from treadle.testing.faults.scenario import Scenario, call, counts, done, stream
from treadle.testing.faults.steps import (
    Chunk,
    Counts,
    Delta,
    Done,
    Finish,
    Fragment,
    Step,
    Text,
    Turn,
    Usage,
)

_STOP = Finish(reason="stop")
_ROUND = (call(Fragment(index=0, call_id="A", name="ping", arguments="{}")), Finish(reason="tool_calls"))
_NULL = {"usage": None, "choices": [{"index": 0, "delta": {"content": "ok"}, "finish_reason": None}]}
_DETAILED = Counts(
    input_tokens=12_000, output_tokens=40, total_tokens=12_040, cache_read_tokens=11_000, reasoning_tokens=32
)


def _answer(name: str, says: str, *steps: Step, usage: Counts | None, cases: tuple[str, ...] = ()) -> Scenario:
    """One turn that says "ok" among these steps."""
    turns = (stream(*steps, Done()),)
    return Scenario(name=name, says=says, turns=turns, expected=done("ok", usage=usage), cases=cases)


def _two_rounds(name: str, says: str, first: Turn, second: Turn, *, usage: Counts) -> Scenario:
    expected = done("ok", tools=(("ping", 1),), usage=usage, requests=2)
    return Scenario(name=name, says=says, turns=(first, second), expected=expected)


def _ok(usage: Counts | None = None) -> Text:
    return Text(text="ok", usage=usage)


USAGE = (
    _answer("no_usage", "no counts at all", _ok(), _STOP, usage=None),
    _answer("null_usage", "the field is there and null", Chunk(fields=_NULL), _STOP, usage=None),
    _answer(
        "usage_before_finish",
        "counts come before the finish reason",
        _ok(),
        Usage(counts=counts(10, 3)),
        _STOP,
        usage=counts(10, 3),
        cases=("BR-062",),
    ),
    _answer(
        "usage_with_finish",
        "counts come with the finish reason",
        _ok(),
        Finish(reason="stop", usage=counts(10, 3)),
        usage=counts(10, 3),
        cases=("BR-062",),
    ),
    _answer(
        "usage_after_finish",
        "counts come after the finish reason",
        _ok(),
        _STOP,
        Usage(counts=counts(10, 3)),
        usage=counts(10, 3),
        cases=("BR-062",),
    ),
    _answer(
        "usage_then_nothing",
        "a chunk without counts follows the one that had them",
        _ok(),
        Finish(reason="stop", usage=counts(10, 3)),
        Chunk(fields={"choices": []}),
        usage=counts(10, 3),
        cases=("BR-059",),
    ),
    _answer(
        "usage_then_null",
        "a chunk with null counts follows the one that had them",
        _ok(),
        Finish(reason="stop", usage=counts(10, 3)),
        Chunk(fields={"choices": [], "usage": None}),
        usage=counts(10, 3),
        cases=("BR-059",),
    ),
    _answer(
        "usage_on_a_choice",
        "counts come on a chunk whose choices are not empty",
        _ok(),
        _STOP,
        Usage(counts=Counts(input_tokens=12_000, output_tokens=4, cache_read_tokens=11_000), choices="empty_delta"),
        usage=Counts(input_tokens=12_000, output_tokens=4, cache_read_tokens=11_000),
        cases=("BR-061",),
    ),
    _answer(
        "cumulative_usage",
        "each chunk has the counts so far",
        Text(text="o", usage=counts(50, 8)),
        Text(text="k", usage=counts(50, 16)),
        Text(text="", usage=counts(50, 24)),
        Finish(reason="stop", usage=counts(50, 32)),
        usage=counts(50, 32),
        cases=("BR-056", "BR-058"),
    ),
    _answer(
        "seeded_usage",
        "a small provisional count first, the total last",
        Text(text="o", usage=counts(30, 1)),
        Text(text="k"),
        Finish(reason="stop", usage=counts(30, 12)),
        usage=counts(30, 12),
        cases=("BR-055",),
    ),
    _answer(
        "zero_usage",
        "counts that are told to be zero",
        _ok(),
        _STOP,
        Usage(counts=counts(0, 0)),
        usage=counts(0, 0),
    ),
    _answer(
        "detailed_usage",
        "counts of cached and of reasoning tokens",
        _ok(),
        _STOP,
        Usage(counts=_DETAILED),
        usage=_DETAILED,
    ),
    _answer(
        "total_usage",
        "a total without its parts",
        _ok(),
        _STOP,
        Usage(counts=Counts(total_tokens=13)),
        usage=Counts(total_tokens=13),
    ),
    _answer(
        "input_usage",
        "the input is counted, the output is not",
        _ok(),
        _STOP,
        Usage(counts=Counts(input_tokens=10)),
        usage=Counts(input_tokens=10),
    ),
    _answer(
        "empty_choices",
        "chunks without a choice, without text, without a delta",
        Chunk(fields={"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}),
        _ok(),
        Delta(fields={"content": None}),
        Delta(fields={}),
        Chunk(fields={"choices": [{"index": 0, "finish_reason": None}]}),
        Chunk(fields={"choices": [{"index": 0, "delta": None, "finish_reason": None}]}),
        Chunk(fields={"choices": None}),
        Chunk(fields={}),
        _STOP,
        Usage(counts=counts(10, 3)),
        usage=counts(10, 3),
        cases=("BR-197",),
    ),
    _two_rounds(
        "usage_of_two_rounds",
        "both rounds are counted",
        stream(_ROUND, Usage(counts=counts(10, 5)), Done()),
        stream(_ok(), _STOP, Usage(counts=counts(12, 2)), Done()),
        usage=counts(22, 7),
    ),
    _two_rounds(
        "usage_of_one_round",
        "only the second of two rounds is counted: the sum is known to lack a part",
        stream(_ROUND, Done()),
        stream(_ok(), _STOP, Usage(counts=counts(12, 2)), Done()),
        usage=counts(12, 2),
    ),
)
