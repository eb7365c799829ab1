"""Framing: bytes to events and back, however they are cut."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

ROWS: dict[str, Requirement] = {
    "BR-122": Requirement(
        source="ours",
        says="A character cut at the border of two reads comes out whole, at every cut and at one byte a read.",
    ),
    "BR-123": Requirement(
        source="ours",
        says="An unfinished character is held until it is whole or at an end; broken bytes are replaced at once.",
    ),
    "BR-126": Requirement(
        source="HTML standard, event streams",
        says="Only CR, LF and CRLF end a line; U+0085, U+2028, U+2029, vertical tab and form feed are text.",
    ),
    "BR-127": Requirement(
        source="ours",
        says="U+0085, U+2028 and U+2029 are escaped inside JSON on the wire and come back the same.",
    ),
    "BR-129": Requirement(
        source="ours",
        says="A line end in an event's name or id, or NUL in its id, is refused before anything is written.",
    ),
    "BR-130": Requirement(
        source="HTML standard, event streams",
        says="LF, CRLF, CR, a mix of them and a CRLF pair cut between two reads give the same events.",
    ),
    "BR-131": Requirement(
        source="ours",
        says="A long line is read whole in linear time; past a stated limit comes a clear error, after what was good.",
    ),
}
