"""What holds across the wires of one server: they all say the one log."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_LOG = "design: one log, every wire"
_EXPOSURE = "design: exposure"

ROWS: dict[str, Requirement] = {
    "WIRES-one-log": Requirement(
        source=_LOG,
        says="A run that one wire began is watched over the others at once, left in mid-answer and come back to by "
        "each wire's own means; all end with the text of the log, and the model was asked once.",
    ),
    "WIRES-canaries": Requirement(
        source=_EXPOSURE,
        says="What an exposure does not name is in no byte of a wire: streams, whole answers, views, cards, headers, "
        "hooks; and what it names is there.",
    ),
    "WIRES-refusals": Requirement(
        source=_EXPOSURE,
        says="A refusal before the status line says nothing of instructions, tools, credentials or what failed inside.",
    ),
}
