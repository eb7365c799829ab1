"""The rows of the table: each scripted agent, and what can be done while it answers, with what usually comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from treadle.cli.conformance.cells import Act, Outcome, Row
from treadle.testing.scenarios.speech import LONG_PIECES

ANSWER: Final = {"q1": "green"}
"""What is answered to the question of `ask_user`."""
REASON: Final = "not today"
"""Why leave is denied."""

_TEXT: Final = "You said: {prompt}\nThat is all: é, 日本, 𝄞."
_LONG: Final = f"You said: {{prompt}} {' '.join(str(number) for number in range(1, LONG_PIECES + 1))}"

ROWS: Final[Mapping[Row, Outcome]] = {
    Row("text"): Outcome(verdict="done", says=_TEXT),
    Row("text", Act.COME_BACK): Outcome(verdict="done", says=_TEXT),
    Row("text", Act.COME_LATE): Outcome(verdict="no_active_stream"),
    Row("thinking"): Outcome(verdict="done", says="You said: {prompt} I have thought."),
    Row("tool"): Outcome(verdict="done", says="Let me count. {prompt!r} has {length} characters."),
    Row("parallel_tools"): Outcome(
        verdict="done", says="Three at once. {length} characters, 0 in nothing, {PROMPT}"
    ),
    Row("failing_tool"): Outcome(verdict="done", says="Let me try. It failed: {prompt}"),
    Row("ask_user"): Outcome(verdict="paused", says="One question. "),
    Row("ask_user", Act.ANSWER): Outcome(verdict="done", says="One question. It is green for {prompt!r}."),
    Row("ask_user", Act.DISMISS): Outcome(
        verdict="done", says="One question. No colour: cancelled while it waited for a person."
    ),
    Row("approval"): Outcome(verdict="paused", says="I would publish it. "),
    Row("approval", Act.APPROVE): Outcome(verdict="done", says="I would publish it. It is published {prompt!r}."),
    Row("approval", Act.DENY): Outcome(
        verdict="done", says=f"I would publish it. It is not published, denied by a person: {REASON}."
    ),
    Row("cancel", Act.STOP): Outcome(verdict="cancelled"),
    Row("cancel", Act.OWN_STOP): Outcome(verdict="cancelled"),
    Row("error"): Outcome(verdict="error", says="You said: {prompt} And then"),
    Row("provider_cut"): Outcome(verdict="error", says="You said: {prompt} And then"),
    Row("silence_8s"): Outcome(verdict="done", says="Wait for it: {prompt}."),
    Row("long"): Outcome(verdict="done", says=_LONG),
    Row("long", Act.COME_BACK): Outcome(verdict="done", says=_LONG),
    Row("retraction"): Outcome(verdict="done", says="You said: {prompt} This stands."),
    Row("retraction", Act.COME_BACK): Outcome(verdict="done", says="You said: {prompt} This stands."),
    Row("structured"): Outcome(
        verdict="done", says='{"prompt": "{prompt}", "characters": {length}, "words": {words}}'
    ),
}  # fmt: skip


def filled(template: str, prompt: str) -> str:
    """A text with its prompt in it."""
    words = "[" + ", ".join(f'"{word}"' for word in prompt.split()) + "]"
    for place, word in (
        ("{prompt!r}", repr(prompt)),
        ("{length}", str(len(prompt))),
        ("{words}", words),
        ("{PROMPT}", " ".join(prompt.split()).upper()),
        ("{prompt}", prompt),
    ):
        template = template.replace(place, word)
    return template
