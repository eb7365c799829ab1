"""The members of a JSON object that a client sent, each read as what it should be.

In: JSON terms. Out: values, or a fault that says where and why. A member is found in both of its spellings (`taskId`,
`task_id`), as protocol buffers read them; null is as good as absent; what nobody asks for is let be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, Self

from treadle.projections.a2a.faults import Fault, FaultError
from treadle.values.mappings import EMPTY, Json

LONGEST_NAME: Final = 256
"""Characters of an id that a client gives."""
_LARGEST: Final = 2**31 - 1
_CAPITAL: Final = re.compile(r"([A-Z])")
_NO_NAME: Final = re.compile(r"[\u0000-\u001f\u007f-\u009f\u2028\u2029]")


class Members:
    """The members of one object. `pointer` says where it stands in what was sent."""

    __slots__ = ("_pointer", "_terms")

    def __init__(self, terms: Json, pointer: str = "") -> None:
        if not isinstance(terms, Mapping):
            raise wrong(pointer, "an object", terms)
        self._terms = terms
        self._pointer = pointer

    def at(self, name: str) -> str:
        """Where a member stands."""
        return f"{self._pointer}/{name}"

    def get(self, name: str) -> Json:
        """A member as it is; None where it is not there."""
        found = self._terms.get(name)
        return self._terms.get(_snake(name)) if found is None else found

    def text(self, name: str) -> str:
        """A member that is text; "" where it is not there."""
        found = self.get(name)
        if found is None:
            return ""
        if not isinstance(found, str):
            raise wrong(self.at(name), "text", found)
        return found

    def name(self, name: str) -> str:
        """A member that is an id: text on one line; "" where it is not there."""
        found = self.text(name)
        if len(found) > LONGEST_NAME or _NO_NAME.search(found):
            said = f"expected an id of at most {LONGEST_NAME} characters on one line, came {len(found)} characters"
            raise FaultError(Fault.INVALID_PARAMS, said, pointer=self.at(name))
        return found

    def flag(self, name: str) -> bool | None:
        """A member that is true or false; None where it is not there."""
        found = self.get(name)
        if found in ("true", "false"):
            return bool(found == "true")
        if found is None or isinstance(found, bool):
            return found
        raise wrong(self.at(name), "true or false", found)

    def count(self, name: str) -> int | None:
        """A member that is a whole number of 0 or more, be it written as text; None where it is not there."""
        found = self.get(name)
        if found is None:
            return None
        is_digits = isinstance(found, str) and found.isascii() and found.isdecimal() and len(found) <= 10
        is_number = isinstance(found, int | float) and not isinstance(found, bool) and found == int(found)
        if not ((is_digits or is_number) and 0 <= (number := int(found)) <= _LARGEST):
            raise wrong(self.at(name), "a whole number of 0 or more", found)
        return number

    def members(self, name: str) -> Self | None:
        """A member that is an object; None where it is not there."""
        found = self.get(name)
        return None if found is None else type(self)(found, self.at(name))

    def sequence(self, name: str) -> Sequence[Json]:
        """A member that is an array; empty where it is not there."""
        found = self.get(name)
        if found is None:
            return ()
        if not isinstance(found, list | tuple):
            raise wrong(self.at(name), "an array", found)
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """A member that is an array of texts; empty where it is not there."""
        found = self.sequence(name)
        for number, one in enumerate(found):
            if not isinstance(one, str):
                raise wrong(f"{self.at(name)}/{number}", "text", one)
        return tuple(found)

    def objects(self, name: str) -> list[Self]:
        """A member that is an array of objects; empty where it is not there."""
        return [type(self)(one, f"{self.at(name)}/{number}") for number, one in enumerate(self.sequence(name))]


NO_MEMBERS: Final = Members(EMPTY)


def wrong(pointer: str, expected: str, came: Any) -> FaultError:  # noqa: ANN401 (whatever a client sent)
    """What is said of a member that is something else than it should be."""
    said = f"expected {expected}{f' at {pointer}' if pointer else ''}, came {_kind(came)}"
    return FaultError(Fault.INVALID_PARAMS, said, pointer=pointer)


def _kind(value: Any) -> str:  # noqa: ANN401 (as above)
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value!r:.40}"
        case str():
            return f"the text {value!r:.60}"
        case Mapping():
            return "an object"
        case _:
            return "an array"


@cache
def _snake(name: str) -> str:
    return _CAPITAL.sub(r"_\1", name).lower()
