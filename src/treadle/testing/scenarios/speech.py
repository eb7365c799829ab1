"""What the models of the scripted agents say.

In: a question, with what came of the calls so far. Out: the turn that answers it. Nothing is remembered between two
questions, so whoever asks the same is told the same.
"""

from __future__ import annotations

import json
import re
from typing import Final

from treadle.adapters.models.scripted.steps import Called, Continued, Said, ScriptedTurn, Step, turn
from treadle.ports.model import ModelRequest
from treadle.testing.faults.steps import LEAK_MARK
from treadle.testing.scripts import call, fault, text, think, usage
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.model import TEXT

SLOW_PIECES: Final = 240
"""How much the one says that is to be cancelled."""
LONG_PIECES: Final = 2_400
SILENT_AT: Final = 2
"""The read before which the silence is."""
ASKED_CHARS: Final = 200
"""Of the prompt, so much stands in a question."""
COLOURS: Final = ("red", "green", "blue")

_WORD: Final = re.compile(r"\s*\S+|\s+$")


def say_text(request: ModelRequest) -> ScriptedTurn:
    """Say the prompt again, and signs of several scripts."""
    return turn(*_echo(request), text("\nThat", " is all: é, 日本, 𝄞."), _spent(request))


def say_after_thinking(request: ModelRequest) -> ScriptedTurn:
    """Think, say the prompt again, think again, and end."""
    thoughts = think("They", " said", f" {_asked(request)!r}.")
    return turn(
        thoughts, *_echo(request), think("That", " will", " do."), text(" I have", " thought."), _spent(request)
    )


def say_with_tool(request: ModelRequest) -> ScriptedTurn:
    """Have the prompt counted, and say what came of it."""
    if not request.turns:
        return turn(text("Let me", " count. "), _count(request), _spent(request))
    return turn(text(f"{_asked(request)!r}", f" has {_outcomes(request)[0].content}", " characters."), _spent(request))


def say_with_parallel_tools(request: ModelRequest) -> ScriptedTurn:
    """Call three tools in one turn, the argument texts of two of them interleaved."""
    if not request.turns:
        said = json.dumps({"text": _asked(request)}, ensure_ascii=False)
        first, second = said[: len(said) // 2], said[len(said) // 2 :]
        return turn(
            text("Three", " at once. "),
            Called(name="count", arguments=first, provider_id="one"),
            Called(name="shout", arguments=first, provider_id="two"),
            Continued(slot=0, text=second),
            Continued(slot=1, text=second),
            call("count", {"text": ""}, provider_id="three", cut=2),
            _spent(request),
        )
    counted, shouted, nothing = _outcomes(request)
    told = (f"{counted.content} characters,", f" {nothing.content} in nothing,", f" {shouted.content['shouted']}")
    return turn(text(*told), _spent(request))


def say_with_failing_tool(request: ModelRequest) -> ScriptedTurn:
    """Call a tool that raises, and say how it ended."""
    if not request.turns:
        return turn(text("Let me", " try. "), call("fail", {"text": _asked(request)}, cut=2), _spent(request))
    return turn(text("It", f" {_outcomes(request)[0].status.value}:", f" {_asked(request)}"), _spent(request))


def say_after_asking(request: ModelRequest) -> ScriptedTurn:
    """Ask the user for a colour, and say which."""
    if not request.turns:
        question = {
            "text": f"Which colour for {_asked(request)[:ASKED_CHARS]!r}?",
            "header": "Colour",
            "options": [{"label": colour} for colour in COLOURS],
            "allow_other": True,
        }
        return turn(text("One", " question. "), call("ask_user", {"questions": [question]}, cut=4), _spent(request))
    outcome = _outcomes(request)[0]
    if outcome.status is not ToolStatus.OK:
        return turn(text("No colour:", f" {outcome.error}."), _spent(request))
    (said,) = outcome.content["answers"]
    colours = [*said["chosen"], *([said["other"]] if "other" in said else [])]
    return turn(text("It is", f" {' and '.join(colours)}", f" for {_asked(request)!r}."), _spent(request))


def say_after_approval(request: ModelRequest) -> ScriptedTurn:
    """Want to publish the prompt, and say what came of it: what was published, or who said no and why."""
    if not request.turns:
        return turn(
            text("I would", " publish it. "), call("publish", {"text": _asked(request)}, cut=3), _spent(request)
        )
    outcome = _outcomes(request)[0]
    said = outcome.content if outcome.status is ToolStatus.OK else f"not published, {outcome.error}"
    return turn(text("It is", f" {said}", "."), _spent(request))


def say_slowly(request: ModelRequest) -> ScriptedTurn:
    """Count up for a minute, if nobody stops it."""
    return turn(*_echo(request), text(*(f" {number}" for number in range(1, SLOW_PIECES + 1))), _spent(request))


def break_off(request: ModelRequest) -> ScriptedTurn:
    """Fail after some text, with words that are for operators alone."""
    return turn(*_echo(request), text(" And", " then"), fault("unavailable", f"{LEAK_MARK}: down", status=503))


def end_without_finish(request: ModelRequest) -> ScriptedTurn:
    """End as a connection ends that is cut: no finish, no end marker."""
    return turn(*_echo(request), text(" And", " then"), fault("eof"))


def say_after_silence(request: ModelRequest) -> ScriptedTurn:
    """Say the prompt again; the silence is the pace's."""
    return turn(text("Wait", " for"), text(" it:"), text(f" {_asked(request)}", "."), _spent(request))


def say_at_length(request: ModelRequest) -> ScriptedTurn:
    """Count, a piece a number, no two pieces alike."""
    return turn(*_echo(request), text(*(f" {number}" for number in range(1, LONG_PIECES + 1))), _spent(request))


def say_and_take_back(request: ModelRequest) -> ScriptedTurn:
    """Break after some text; asked again, say it right."""
    wrong = (think("Was it"), text("It was", " wrong", f" to say {_asked(request)!r}"), fault("busy", status=529))
    right = (think("Again."), *_echo(request), text(" This", " stands."), _spent(request))
    return turn(*wrong, again=(right,))


def say_structured(request: ModelRequest) -> ScriptedTurn:
    """Say JSON, in pieces that are cut wherever it falls."""
    asked = _asked(request)
    said = json.dumps({"prompt": asked, "characters": len(asked), "words": asked.split()}, ensure_ascii=False)
    return turn(text(*(said[at : at + 7] for at in range(0, len(said), 7))), _spent(request))


def _asked(request: ModelRequest) -> str:
    return request.prompt.prompt


def _outcomes(request: ModelRequest) -> tuple[ToolOutcome, ...]:
    """What came of the calls of the first turn."""
    return request.turns[0].outcomes


def _echo(request: ModelRequest) -> tuple[Step, ...]:
    """The prompt, a word a piece."""
    return text("You", " said:"), Said(kind=TEXT, pieces=tuple(_WORD.findall(f" {_asked(request)}")))


def _count(request: ModelRequest) -> Step:
    return call("count", {"text": _asked(request)}, provider_id="counting", cut=3)


def _spent(request: ModelRequest) -> Step:
    """What a provider might report: it depends on the prompt, and on the round."""
    return usage(10 * (len(request.turns) + 1) + len(_asked(request)), 7, cache_read_tokens=3, reasoning_tokens=2)
