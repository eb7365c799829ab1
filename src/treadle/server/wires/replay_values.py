"""What is a reader's own, and stands in no log: given by name, as texts.

In: texts by their names. Out: values, or a refusal that says what was expected.

Source: docs/cli.md (replay).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from treadle.codec.foreign import json_text
from treadle.errors import PlanError

_YES_OR_NO: Final = ("true", "false")
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """What is a reader's own, by name, as texts."""

    values: Mapping[str, str]

    def text(self, name: str, without: str) -> str:
        """A text."""
        return self.values.get(name, without)

    def word(self, name: str, without: str, words: Sequence[str]) -> str:
        """One word of some.

        Raises:
            PlanError: It is none of them.
        """
        given = self.values.get(name, without)
        if given not in words:
            raise PlanError((f"{name!r} is one of {', '.join(words)}, not {given[:40]!r}",))
        return given

    def flag(self, name: str, *, without: bool) -> bool:
        """A yes or no."""
        return self.word(name, _YES_OR_NO[not without], _YES_OR_NO) == _YES_OR_NO[0]

    def number(self, name: str) -> int | None:
        """A number that counts; None where it is not given.

        Raises:
            PlanError: It is none.
        """
        given = self.values.get(name)
        if given is None:
            return None
        if not (given.isascii() and given.isdecimal() and len(given) <= _DIGITS):
            raise PlanError((f"{name!r} is a number, not {given[:40]!r}",))
        return int(given)

    def names(self, name: str) -> frozenset[str] | None:
        """Names with commas between them; None where nothing is given."""
        given = self.values.get(name)
        return None if given is None else frozenset(one.strip() for one in given.split(",") if one.strip())

    def id_json(self, name: str) -> str | None:
        """The JSON of an id: of an integer or a text in quotes as it stands, else of the text that it is."""
        given = self.values.get(name)
        if given is None:
            return None
        try:
            said = json.loads(given)
        except (ValueError, RecursionError):
            said = given
        is_id = isinstance(said, str | int) and not isinstance(said, bool)
        return json_text(said if is_id else given)
