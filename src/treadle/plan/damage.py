"""Why arguments do not fit, in words for the model.

In: a pydantic validation error. Out: one line a fault: which argument, what was expected, what came. No addresses of
documentation, no long values: a model that is told its own text again at length repeats it.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from treadle.codec.foreign import json_text, json_value
from treadle.framing.surrogates import whole_text

MOST_FAULTS: Final = 8
LONGEST_VALUE: Final = 60
LONGEST_MESSAGE: Final = 200


def damage_text(error: ValidationError) -> str:
    """The faults of arguments that do not fit."""
    faults = error.errors(include_url=False, include_context=False)
    told = [_fault(fault) for fault in faults[:MOST_FAULTS]]
    more = len(faults) - len(told)
    if more > 0:
        told.append(f"and {more} more")
    return "; ".join(told)


def shortened(text: str, longest: int) -> str:
    """The text, or as much of it as may be shown."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _fault(fault: Any) -> str:  # noqa: ANN401 (pydantic's own dictionary of one fault)
    place = _place(fault["loc"])
    if fault["type"] == "missing":
        return f"argument {place} is missing"
    if fault["type"] == "extra_forbidden":
        return f"there is no argument {place}"
    message = shortened(fault["msg"].removeprefix("Input "), LONGEST_MESSAGE)
    came = shortened(json_text(json_value(fault["input"])), LONGEST_VALUE)
    return whole_text(f"argument {place} {message[:1].lower()}{message[1:]}, came {came}")


def _place(steps: tuple[int | str, ...]) -> str:
    first, *inner = steps or ("",)
    path = str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in inner)
    return repr(shortened(whole_text(path), LONGEST_MESSAGE))
