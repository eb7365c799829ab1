"""Shown text: filters and the close state."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement


def _ours(says: str, divergence: str | None = None) -> Requirement:
    return Requirement(source="ours", says=says, divergence=divergence)


def _reported(says: str, divergence: str | None = None) -> Requirement:
    return Requirement(source="a fault users reported of another system", says=says, divergence=divergence)


def _seen(says: str, divergence: str | None = None) -> Requirement:
    return Requirement(source="a fault seen in another system's filters", says=says, divergence=divergence)


_CLOSE = {
    "C01": _ours(
        "What a segment has shown is kept apart from how events are said on a wire: text knows no projection."
    ),
    "C02": _ours("Every ending persists the same text for the same deltas, since one object gathers it."),
    "C03": _ours("A close state starts with nothing shown, nothing thought, nothing observed and fresh filters."),
    "C04": _ours("The clean text is all that was shown, joined in order."),
    "C05": _ours("Feeding gives what may be shown now, or None; never an empty text."),
    "C06": _ours("None means that characters are held: they come later, or with the flush."),
    "C07": _ours("Filters stand in series; what the first takes out never reaches the next."),
    "C08": _ours("What feeding gives is recorded, and nothing else is."),
    "C09": _ours("What a filter lets go at the flush passes the filters after it."),
    "C10": _ours("What the flush gives is recorded."),
    "C11": _ours("A second flush gives nothing and changes nothing."),
    "C12": _ours("Before the flush the held tail is missing from the clean text."),
    "C13": _ours(
        "Feeding after the flush is refused.",
        divergence="Others accept it and lose the tail; a refusal is seen, a lost tail is not.",
    ),
    "C14": _ours("Memory keeps what was shown, or the fallback if nothing was."),
    "C15": _ours(
        "White space alone does not suppress the fallback.",
        divergence="Elsewhere a single blank counts as an answer.",
    ),
    "C16": _ours(
        "The fallback passes the same filters as the model's text.",
        divergence="Elsewhere it is used as it is and may hold the very block the filters remove.",
    ),
    "C17": _ours("Of a result only a mapping under `output` is observed; the last one counts, all else is ignored."),
    "C18": _ours(
        "An observed result is copied, so later changes do not reach it.",
        divergence="Elsewhere it is kept by reference.",
    ),
    "C19": _ours("Thinking is kept apart from the clean text, whole."),
    "C20": _ours("The completed and the abandoned path cannot disagree about a held remainder."),
}

_SEEN = {
    "D01": _seen("A block in a sentence gives one text, however the text is cut."),
    "D02": _seen("A block between blank lines gives one text, however the text is cut."),
    "D03": _seen("A citation before a sign or a word takes its one blank, however the text is cut."),
    "D04": _seen("A citation at the beginning of an indented line leaves line break and indent alone."),
    "D05": _seen("A block that never ends is never shown, and is reported."),
    "D06": _seen("The beginning of an opening tag at the end is user text."),
    "D07": _seen("A bracket or the beginning of a citation at the end is user text."),
    "D08": _seen("Operations of the wrong type drop the block with a diagnostic; the stream goes on."),
    "D09": _seen("Operations that are no list of objects are rejected whole."),
    "D10": _seen("Deep nesting in a block is refused without an exception."),
    "D11": _seen("What a removal joins is not scanned again."),
    "D12": _seen("A closing tag inside a JSON string does not end the block."),
    "D13": _seen("A code fence inside a stored value stays."),
    "D13b": _seen("A link, an index and a table's name are user text, not citations."),
    "D13c": _seen("A long run of blanks costs no more a character than a short one."),
    "D13d": _seen("An open block costs no more a character when it is long."),
    "D13e": _seen("JSON and fences in the answer itself are kept."),
    "D13f": _seen("The name of a block as a word of the answer is kept."),
    "D13g": _seen("One segment's filters serve one text stream and no other."),
}

_REPORTED = {
    "BR-108": _reported("An opening think tag is known however it is split."),
    "BR-109": _reported("A split closing think tag ends thinking and loses nothing of the answer."),
    "BR-111": _reported("Tag and text in one delta: line breaks directly after the tags go with them."),
    "BR-112": _reported(
        "A closing think tag alone ends thinking where the model starts in it, and is not shown where it does not."
    ),
    "BR-114": _reported("An angle bracket inside thinking is thinking."),
    "BR-115": _reported("The provider's own thinking ends where text begins; an empty delta gives nothing."),
    "BR-117": _reported("Only an end that can still become a tag is held."),
    "BR-119": _reported(
        "No delta holds a piece of a citation.",
        divergence="Citations are a closed set of names in brackets; they are removed and not reported.",
    ),
    "BR-120": _reported(
        "A marker without an end holds a bounded amount, and a good one after it is found.",
        divergence="Past the bound the block is dropped and reported, since a block is never shown.",
    ),
    "BR-124": _reported("Thinking inside thinking is balanced, and no stray tag is shown."),
}

ROWS: dict[str, Requirement] = {**_CLOSE, **_SEEN, **_REPORTED}
