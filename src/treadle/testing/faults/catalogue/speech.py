"""Honest streams: text, reasoning and calls as providers mean them."""

from treadle.testing.faults.scenario import (
    Expected,
    Scenario,
    call,
    calls,
    counts,
    done,
    fails,
    say,
    stream,
    think,
)
from treadle.testing.faults.steps import Chunk, Delta, Done, Finish, Fragment, Stall, Think, Usage

_STOP = (Finish(reason="stop"), Done())
_CALLS = (Finish(reason="tool_calls"), Done())
_ADD = calls(
    Fragment(index=0, call_id="call_a", name="add", arguments=""),
    Fragment(index=0, arguments='{"a":'),
    Fragment(index=0, arguments=' 1, "b": 2}'),
)

SPEECH = (
    Scenario(
        name="text",
        says="an answer in five deltas, with usage",
        turns=(
            stream(
                say("The ", "cat ", "sat ", "on ", "it."), Finish(reason="stop"), Usage(counts=counts(9, 5)), Done()
            ),
        ),
        expected=done("The cat sat on it.", usage=counts(9, 5)),
    ),
    Scenario(
        name="text_of_many_scripts",
        says="characters of two, three and four bytes, a joined one and white space, uncut",
        turns=(stream(say("é", "日本", "🙂👩‍🚀", " \n\t", "end"), _STOP),),
        expected=done("é日本🙂👩‍🚀 \n\tend"),
    ),
    Scenario(
        name="empty_answer",
        says="a turn that says nothing and stops",
        turns=(stream(_STOP),),
        expected=done(""),
    ),
    Scenario(
        name="blank_answer",
        says="white space alone",
        turns=(stream(say(" ", "\n\n"), _STOP),),
        expected=done(" \n\n"),
    ),
    Scenario(
        name="flood",
        says="5,000 deltas without a pause",
        turns=(stream(say(*["word "] * 5_000), _STOP),),
        expected=done("word " * 5_000),
    ),
    Scenario(
        name="stop_me",
        says="twenty deltas, then silence until the caller stops it; usage would have come at the end",
        turns=(stream(say(*[f"{at} " for at in range(20)]), Stall(), Usage(counts=counts(9, 20)), _STOP),),
        expected=Expected(outcome="cancelled", text="".join(f"{at} " for at in range(20))),
        needs=("cancel",),
        cases=("BR-064",),
    ),
    Scenario(
        name="thinking",
        says="reasoning in its own field, then the answer",
        turns=(stream(think("First ", "I look."), say("Then ", "I speak."), _STOP),),
        expected=done("Then I speak.", thinking="First I look."),
    ),
    Scenario(
        name="thinking_in_reasoning",
        says="reasoning in the field other gateways use",
        turns=(stream(Think(text="Well", key="reasoning"), Think(text=".", key="reasoning"), say("Yes"), _STOP),),
        expected=done("Yes", thinking="Well."),
    ),
    Scenario(
        name="thinking_ends_with_empty_text",
        says="the switch to the answer is marked by an empty text only",
        turns=(stream(think("a", "b"), say("", "Yes"), _STOP),),
        expected=done("Yes", thinking="ab"),
        cases=("BR-115",),
    ),
    Scenario(
        name="thinking_with_null_text",
        says="each reasoning delta has a null text beside it, each text delta a null reasoning",
        turns=(
            stream(
                Delta(fields={"reasoning_content": "a", "content": None}),
                Delta(fields={"reasoning_content": None, "content": "Yes"}),
                _STOP,
            ),
        ),
        expected=done("Yes", thinking="a"),
    ),
    Scenario(
        name="thinking_between_calls",
        says="reasoning before the call and before the answer",
        turns=(stream(think("need a sum"), _ADD, _CALLS), stream(think("got it"), say("3"), _STOP)),
        expected=done("3", thinking="need a sumgot it", tools=(("add", 1),), requests=2),
    ),
    Scenario(
        name="think_tags",
        says="reasoning in the text between tags, each tag cut over deltas",
        turns=(stream(say("<th", "ink>plan", "</thi", "nk>Hi"), _STOP),),
        expected=done("Hi", thinking="plan"),
        needs=("think_filter",),
        cases=("BR-108", "BR-109"),
    ),
    Scenario(
        name="think_tags_by_character",
        says="the same, one character a delta",
        turns=(stream(say(*"<think>a < b</think>Hi <there>"), _STOP),),
        expected=done("Hi <there>", thinking="a < b"),
        needs=("think_filter",),
        cases=("BR-108", "BR-114"),
    ),
    Scenario(
        name="one_tool",
        says="a call of add, then the answer",
        turns=(stream(_ADD, _CALLS), stream(say("3"), _STOP)),
        expected=done("3", tools=(("add", 1),), requests=2),
    ),
    Scenario(
        name="parallel_tools",
        says="three calls in one turn",
        turns=(
            stream(
                call(Fragment(index=0, call_id="call_a", name="add", arguments='{"a":1,"b":2}')),
                call(Fragment(index=1, call_id="call_b", name="lookup", arguments='{"q":"x"}')),
                call(Fragment(index=2, call_id="call_c", name="ping", arguments="{}")),
                _CALLS,
            ),
            stream(say("all three"), _STOP),
        ),
        expected=done("all three", tools=(("add", 1), ("lookup", 1), ("ping", 1)), requests=2),
    ),
    Scenario(
        name="same_call_twice",
        says="one tool with the same arguments, twice in a turn, under two ids",
        turns=(
            stream(
                call(Fragment(index=0, call_id="call_a", name="ping", arguments="{}")),
                call(Fragment(index=1, call_id="call_b", name="ping", arguments="{}")),
                _CALLS,
            ),
            stream(say("twice"), _STOP),
        ),
        expected=done("twice", tools=(("ping", 2),), requests=2),
    ),
    Scenario(
        name="text_then_tool",
        says="opening words, a call, the answer",
        turns=(stream(say("Let me", " see. "), _ADD, _CALLS), stream(say("3"), _STOP)),
        expected=done("Let me see. 3", tools=(("add", 1),), requests=2),
        cases=("BR-094",),
    ),
    Scenario(
        name="text_after_call",
        says="text, a call and text again in one turn",
        turns=(stream(say("a"), _ADD, say("b"), _CALLS), stream(say("c"), _STOP)),
        expected=done("abc", tools=(("add", 1),), requests=2),
        cases=("BR-103",),
    ),
    Scenario(
        name="three_rounds",
        says="a call, another call, the answer",
        turns=(
            stream(_ADD, _CALLS),
            stream(call(Fragment(index=0, call_id="call_b", name="lookup", arguments='{"q":"3"}')), _CALLS),
            stream(say("three"), _STOP),
        ),
        expected=done("three", tools=(("add", 1), ("lookup", 1)), requests=3),
    ),
    Scenario(
        name="failing_tool",
        says="a call of the tool that raises, then the answer",
        turns=(
            stream(call(Fragment(index=0, call_id="call_f", name="fail", arguments="{}")), _CALLS),
            stream(say("it failed"), _STOP),
        ),
        expected=done("it failed", tools=(("fail", 1),), requests=2),
        cases=("BR-100",),
    ),
    Scenario(
        name="slow_tool",
        says="a call of the tool that does not end, then the answer",
        turns=(
            stream(call(Fragment(index=0, call_id="call_s", name="slow", arguments="{}")), _CALLS),
            stream(say("it took too long"), _STOP),
        ),
        expected=done("it took too long", tools=(("slow", 1),), requests=2),
        needs=("tool_deadline",),
    ),
    Scenario(
        name="endless_rounds",
        says="a call in every turn, for ever",
        turns=(stream(say("again "), call(Fragment(index=0, call_id="call_p", name="ping", arguments="{}")), _CALLS),),
        expected=fails("limit_rounds", "again again again ", tools=(("ping", 3),), requests=3),
        needs=("round_limit",),
    ),
    Scenario(
        name="call_in_text",
        says="a call written as JSON into the text; no tool is meant to run by guess",
        turns=(stream(say('{"name": "look', 'up", "parameters": {}}'), _STOP),),
        expected=done('{"name": "lookup", "parameters": {}}'),
        cases=("BR-202",),
    ),
    Scenario(
        name="unknown_fields",
        says="fields nobody asked for on the chunk, the choice and the delta",
        turns=(
            stream(
                Chunk(
                    fields={
                        "service_tier": "x",
                        "obfuscation": "zzz",
                        "choices": [
                            {
                                "index": 0,
                                "delta": {"content": "Hi", "refusal": None, "audio": {"id": 1}},
                                "logprobs": None,
                            }
                        ],
                    }
                ),
                _STOP,
            ),
        ),
        expected=done("Hi"),
    ),
)
