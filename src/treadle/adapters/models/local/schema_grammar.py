"""The JSON schema of a tool's arguments to the grammar of their texts.

Every text of the grammar is one whole JSON value in one spelling, without free white space: names in the order of the
schema, one blank after each colon and comma, as `json.dumps` writes it. Texts, lists and numbers are bounded where the
schema leaves them open, and no names are free. What only narrows a text or a number (`pattern`, `format`,
`multipleOf`, the bounds of a fraction, `uniqueItems`) is left to the tool's own check of its arguments. What the
grammar cannot say is refused, with the place of each problem.

Source: JSON Schema 2020-12, as pydantic writes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from treadle.adapters.models.local.gbnf import NOTHING, Characters, Literal, Node, Repeat, choice, optional, sequence
from treadle.adapters.models.local.whole_numbers import DIGIT, WIDEST, whole_numbers

LONGEST_TEXT_CHARS: Final = 200
"""Characters of a text whose schema says no `maxLength`, and the most that is granted to one that does."""
MOST_ITEMS: Final = 8
"""Items of a list whose schema says no `maxItems`, and the most that is granted to one that does."""
MOST_NODES: Final = 200
"""Schemas in a schema, each counted wherever it is named. A model on this machine is too small for more."""

Schema = Mapping[str, Any]

_UNSAID: Final = ("not", "if", "patternProperties", "prefixItems", "dependentRequired", "dependentSchemas", "contains")
_CHARACTER: Final = choice(Characters(r'^"\\\x00-\x1F\x7F'), sequence(Literal("\\"), Characters(r'"\\nt')))
_FRACTION: Final = optional(sequence(Literal("."), Repeat(DIGIT, 1, 6)))


class SchemaGrammar:
    """Reads one schema. `problems` says what the grammar cannot, each with its place."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self._within: tuple[str, ...] = ()
        self._nodes = 0
        self.problems: list[str] = []

    def node(self) -> Node:
        """The grammar of the schema. Good for use only where there are no problems."""
        return self._value(self._root, "arguments")

    def _value(self, schema: object, place: str) -> Node:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            return self._refuse("arguments", f"more than {MOST_NODES} schemas in one cannot be asked for")
        if not isinstance(schema, Mapping):
            return self._refuse(place, f"expected a schema that says what may stand here, came {schema!r}")
        unsaid = [word for word in _UNSAID if word in schema]
        if unsaid:
            return self._refuse(place, f"{unsaid[0]!r} cannot be said as a grammar")
        if "$ref" in schema:
            return self._named(str(schema["$ref"]), place)
        if "const" in schema:
            return self._literals([schema["const"]], place)
        if "enum" in schema:
            return self._literals(schema["enum"], place)
        for word in ("anyOf", "oneOf", "allOf"):
            if word in schema:
                return self._combined(word, schema[word], place)
        return self._typed(schema, place)

    def _named(self, ref: str, place: str) -> Node:
        found: object = self._root
        for step in ref.removeprefix("#/").split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        if not ref.startswith("#/") or found is None:
            return self._refuse(place, f"{ref!r} names nothing in this schema")
        if ref in self._within:
            return self._refuse(place, f"{ref!r} holds itself, so its text has no bound")
        outside, self._within = self._within, (*self._within, ref)
        node = self._value(found, place)
        self._within = outside
        return node

    def _literals(self, values: object, place: str) -> Node:
        if not isinstance(values, list | tuple) or not values:
            return self._refuse(place, f"expected values to choose from, came {values!r}")
        return choice(*(Literal(json.dumps(value, ensure_ascii=False)) for value in values))

    def _combined(self, word: str, options: object, place: str) -> Node:
        if not isinstance(options, list | tuple) or not options:
            return self._refuse(place, f"expected schemas under {word!r}, came {options!r}")
        if word == "allOf" and len(options) > 1:
            return self._refuse(place, "several schemas at once ('allOf') cannot be said as a grammar")
        return choice(*(self._value(option, place) for option in options))

    def _typed(self, schema: Schema, place: str) -> Node:
        kind = schema.get("type")
        if isinstance(kind, list | tuple) and kind:
            return choice(*(self._typed({**schema, "type": one}, place) for one in kind))
        readers: Mapping[object, Callable[[Schema, str], Node]] = {
            "object": self._object,
            "array": self._array,
            "string": self._text,
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda _schema, _place: choice(Literal("true"), Literal("false")),
            "null": lambda _schema, _place: Literal("null"),
        }
        read = readers.get(kind)
        if read is None:
            return self._refuse(place, f"expected a type, came {kind!r}: any value at all cannot be asked for")
        return read(schema, place)

    def _object(self, schema: Schema, place: str) -> Node:
        properties = schema.get("properties")
        if properties is None and schema.get("additionalProperties", True) is not False:
            return self._refuse(place, "an object with free names cannot be asked for; name its properties")
        required = schema.get("required", ())
        members = {
            name: sequence(Literal(f"{json.dumps(name, ensure_ascii=False)}: "), self._value(inner, f"{place}.{name}"))
            for name, inner in (properties or {}).items()
        }
        missing = [name for name in required if name not in members]
        if missing:
            return self._refuse(place, f"{missing[0]!r} is required and has no schema")
        musts = [member for name, member in members.items() if name in required]
        mays = [member for name, member in members.items() if name not in required]
        return sequence(Literal("{"), _listed(musts, mays), Literal("}"))

    def _array(self, schema: Schema, place: str) -> Node:
        least, most = schema.get("minItems", 0), min(schema.get("maxItems", MOST_ITEMS), MOST_ITEMS)
        if least > most:
            return self._refuse(place, f"expected at most {MOST_ITEMS} items, came at least {least!r}")
        item = self._value(schema.get("items"), f"{place}[]")
        if most == 0:
            return Literal("[]")
        further = Repeat(sequence(Literal(", "), item), max(least - 1, 0), most - 1)
        filled = sequence(item, further)
        return sequence(Literal("["), filled if least else optional(filled), Literal("]"))

    def _text(self, schema: Schema, place: str) -> Node:
        least, most = schema.get("minLength", 0), min(schema.get("maxLength", LONGEST_TEXT_CHARS), LONGEST_TEXT_CHARS)
        if least > most:
            return self._refuse(place, f"expected at most {LONGEST_TEXT_CHARS} characters, came at least {least!r}")
        return sequence(Literal('"'), Repeat(_CHARACTER, least, most), Literal('"'))

    def _integer(self, schema: Schema, place: str) -> Node:
        lows = [schema.get("minimum"), _moved(schema.get("exclusiveMinimum"), 1)]
        highs = [schema.get("maximum"), _moved(schema.get("exclusiveMaximum"), -1)]
        least = max([-WIDEST, *(-int(-low // 1) for low in lows if low is not None)])
        most = min([WIDEST, *(int(high // 1) for high in highs if high is not None)])
        if least > most:
            return self._refuse(place, f"no whole number of at most {len(str(WIDEST))} digits is within the bounds")
        return whole_numbers(least, most)

    def _number(self, schema: Schema, _place: str) -> Node:
        lows = (schema.get("minimum"), schema.get("exclusiveMinimum"))
        never_below_zero = any(low is not None and low >= 0 for low in lows)
        whole = whole_numbers(0, WIDEST)
        return sequence(whole if never_below_zero else sequence(optional(Literal("-")), whole), _FRACTION)

    def _refuse(self, place: str, why: str) -> Node:
        problem = f"{place}: {why}"
        if problem not in self.problems:
            self.problems.append(problem)
        return NOTHING


def _moved(bound: float | None, by: int) -> float | None:
    """An excluded bound as the nearest whole number within it."""
    if bound is None:
        return None
    return bound + by if bound == bound // 1 else bound


def _listed(musts: list[Node], mays: list[Node]) -> Node:
    """Members with commas between them: all of `musts`, then any of `mays`, in order."""
    parts: list[Node] = []
    for must in musts:
        parts += [Literal(", "), must] if parts else [must]
    if musts:
        return sequence(*parts, *(optional(sequence(Literal(", "), may)) for may in mays))
    if not mays:
        return NOTHING
    firsts = [
        sequence(may, *(optional(sequence(Literal(", "), later)) for later in mays[place + 1 :]))
        for place, may in enumerate(mays)
    ]
    return optional(choice(*firsts))
