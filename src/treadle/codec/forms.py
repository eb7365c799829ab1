"""Two-way forms: how the parts of a stored value are written as JSON terms, and strictly read again.

In: values. Out: JSON terms; and back. Knows nothing of which values there are: a table of forms is held total by its
test, every class, every field. What a form writes it can read; of what it cannot read it says what was expected and
where, and never the content.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, NoReturn

import msgspec

from treadle.codec.foreign import in_json_terms, json_value
from treadle.errors import MisuseError, RecordFormatError
from treadle.framing.surrogates import whole_text
from treadle.values.mappings import EMPTY, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How one part is written and read.

    Raises:
        MisuseError: From `dump`: the value is not of the kind that the form is for.
        RecordFormatError: From `load`: the terms are not what `dump` writes.
    """

    dump: Callable[[Any], Json]
    load: Callable[[Json], Any]


def maybe(form: Form) -> Form:
    """What `form` is for, or None."""
    write, read = form.dump, form.load
    return Form(
        dump=lambda value: None if value is None else write(value),
        load=lambda terms: None if terms is None else read(terms),
    )


def many(form: Form) -> Form:
    """A tuple of what `form` is for."""
    write, read = form.dump, form.load

    def load(terms: Json) -> tuple[Any, ...]:
        if type(terms) is not list:
            unread("a sequence", terms)
        made: list[Any] = []
        try:
            for item in terms:
                made.append(read(item))  # noqa: PERF401 (how many were read says where it failed)
        except RecordFormatError as error:
            raise RecordFormatError(f"{len(made)}: {error}") from error
        return tuple(made)

    return Form(dump=lambda value: [write(item) for item in value] if value else [], load=load)


def set_of(form: Form) -> Form:
    """A frozen set of what `form` is for, written in order."""
    parts = many(form)
    return Form(dump=lambda value: sorted(parts.dump(value)), load=lambda terms: frozenset(parts.load(terms)))


def choice(words: type[StrEnum]) -> Form:
    """One of a closed set of words."""

    def load(terms: Json) -> StrEnum:
        try:
            return words(terms)
        except ValueError:
            raise RecordFormatError(f"expected one of {[word.value for word in words]!r}") from None

    return Form(dump=lambda value: words(value).value, load=load)


def value_of(kind: type, /, **forms: Form) -> Form:
    """A value by its fields, every one of them written. `forms` names all that are stored, in their order."""
    writers = [(name, form.dump) for name, form in forms.items()]
    readers = [(name, form.load) for name, form in forms.items()]
    names = frozenset(forms)

    def load(terms: Json) -> Any:  # noqa: ANN401 (a value of the class that is given)
        if type(terms) is not dict:
            unread("a mapping", terms)
        if terms.keys() != names:
            missing, unknown = sorted(names - terms.keys()), sorted(terms.keys() - names)
            raise RecordFormatError(f"fields are missing: {missing!r}, or unknown: {unknown!r}")
        name, made = "", {}
        try:
            for name, read in readers:
                made[name] = read(terms[name])
        except RecordFormatError as error:
            raise RecordFormatError(f"{name}: {error}") from error
        try:
            return kind(**made)
        except (TypeError, ValueError) as error:
            raise RecordFormatError(f"the fields make no legal {kind.__name__}") from error

    return Form(dump=lambda value: {name: write(getattr(value, name)) for name, write in writers}, load=load)


def tagged(choices: Mapping[str, tuple[type, Form]]) -> Form:
    """A value of one of several classes, told apart by a field `kind`; each by what `value_of` gives for it."""
    writers = {made: (kind, form.dump) for kind, (made, form) in choices.items()}
    readers = {kind: form.load for kind, (_, form) in choices.items()}

    def dump(value: object) -> dict[str, Json]:
        known = writers.get(type(value))
        if known is None:
            raise MisuseError(f"a {type(value).__name__!r} has no stored form")
        return {"kind": known[0], **known[1](value)}

    def load(terms: Json) -> Any:  # noqa: ANN401 (a value of one of the classes)
        if type(terms) is not dict or type(terms.get("kind")) is not str:
            unread("a mapping with a kind", terms)
        kind = terms["kind"]
        read = readers.get(kind)
        if read is None:
            raise RecordFormatError(f"unknown kind {kind!r}")
        try:
            return read({name: item for name, item in terms.items() if name != "kind"})
        except RecordFormatError as error:
            raise RecordFormatError(f"{kind}: {error}") from error

    return Form(dump=dump, load=load)


def unread(expected: str, terms: Json) -> NoReturn:
    """Say what was expected and the class of what came: the content may be a secret."""
    raise RecordFormatError(f"expected {expected}, not {type(terms).__name__!r}")


def stored_bytes(terms: Json, *, order: Literal["sorted"] | None = None) -> bytes:
    """Compact JSON in UTF-8. Halves of surrogate pairs become what `codec.foreign` says, here and nowhere before."""
    try:
        return msgspec.json.encode(terms, order=order)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(terms), order=order)


def read_json(body: bytes) -> Json:
    """JSON terms from bytes.

    Raises:
        RecordFormatError: The bytes are no JSON.
    """
    try:
        return msgspec.json.decode(body)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordFormatError("the bytes are no JSON, or damaged") from error


def _mended(terms: Json) -> Json:
    match terms:
        case str():
            return whole_text(terms)
        case dict():
            return _mended_mapping(terms)
        case list() | tuple():
            return [_mended(item) for item in terms]
        case _:
            return terms


def _mended_mapping(terms: Mapping[str, Json]) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for key, item in terms.items():
        name = whole_text(key)
        while name in made:
            name += "\ufffd"
        made[name] = _mended(item)
    return made


def _plain(expected: str, *kinds: type) -> Form:
    """A value of one of these classes itself, and of none made from it."""

    def dump(value: object) -> Json:
        if type(value) in kinds:
            return value
        raise MisuseError(f"expected {expected} to store, not {type(value).__name__!r}")

    def load(terms: Json) -> Json:
        return terms if type(terms) in kinds else unread(expected, terms)

    return Form(dump=dump, load=load)


def _text(value: object) -> str:
    if isinstance(value, str):
        return str.__str__(value)  # the word of a choice where an open field holds one
    raise MisuseError(f"expected a text to store, not {type(value).__name__!r}")


def _number(value: float) -> float | str:
    if type(value) is float and not math.isfinite(value):
        return repr(value)
    made: float = _WRITTEN_NUMBER.dump(value)
    return made


def _load_number(terms: Json) -> float:
    if type(terms) is str and terms in _NO_JSON_NUMBERS:
        return float(terms)
    made: float = _WRITTEN_NUMBER.load(terms)
    return made


def _load_bytes(terms: Json) -> bytes:
    if type(terms) is not str:
        unread("base64 text", terms)
    try:
        return base64.b64decode(terms, validate=True)
    except (binascii.Error, ValueError):
        raise RecordFormatError("expected base64 text") from None


def _load_mapping(terms: Json) -> Json:
    return terms if type(terms) is dict else unread("a mapping", terms)


def _json(value: object) -> Json:
    return value if value is EMPTY or in_json_terms(value) else json_value(value)


_NO_JSON_NUMBERS: Final = frozenset({"inf", "-inf", "nan"})
_WRITTEN_NUMBER: Final = _plain("a number", int, float)

TEXT: Final = Form(dump=_text, load=_plain("a text", str).load)
COUNT: Final = _plain("a whole number", int)
FLAG: Final = _plain("true or false", bool)
NUMBER: Final = Form(dump=_number, load=_load_number)
"""Exact. What JSON has no number for is written as its word: `inf`, `-inf`, `nan`."""
BYTES: Final = Form(dump=lambda value: base64.b64encode(value).decode(), load=_load_bytes)
JSON: Final = Form(dump=_json, load=lambda terms: terms)
"""JSON terms as they are; anything else in the form that `codec.foreign` gives it."""
MAPPING: Final = Form(dump=_json, load=_load_mapping)
