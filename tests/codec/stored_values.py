"""Any event, fact, request or stretch: every field of every class is drawn, by the type that it is declared with.

A class whose fields depend on each other has its own strategy; a new field needs nothing here.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from tests.values.event_samples import usages
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import CallId
from treadle.values.limits import Limits, Retries
from treadle.values.mappings import frozen
from treadle.values.model import ARGUMENTS, TEXT, THINKING, ModelTurn
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.requests import Attachment, TurnRequest
from treadle.values.stretches import EntryStretch, SpeechStretch
from treadle.values.usage import UsageDelta

texts = st.text(max_size=5)
spoken = st.text(min_size=1, max_size=5)
_half = st.sampled_from(["\ud800", "\udbff", "\udc00", "\udfff"])
halved = st.lists(st.characters() | _half, min_size=1, max_size=4).map("".join)
"""Texts with halves of surrogate pairs; as an alphabet of one strategy they would be too rare to be drawn."""
counts = st.integers(0, 9) | st.integers(0, 2**70)
floats = st.floats(allow_nan=False)
finite = st.floats(allow_nan=False, allow_infinity=False)
durations = st.floats(0, allow_infinity=False, allow_nan=False)
integers = st.integers() | st.integers(63, 2048).map(lambda bits: 2**bits - 1)
json_values = st.recursive(
    st.none() | st.booleans() | integers | finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=3,
)
mappings = st.dictionaries(texts, json_values, max_size=2)


def any_of(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 (any type that a field is declared with)
    """Anything of a type, in every field that it has."""
    if kind in _SPECIAL:
        return _SPECIAL[kind]()
    if isinstance(kind, NewType):
        return any_of(kind.__supertype__)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    if is_dataclass(kind):
        return _value(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(any_of, parts))
    if origin is tuple:
        return st.lists(any_of(parts[0]), max_size=2).map(tuple)
    if origin is frozenset:
        return st.frozensets(any_of(parts[0]), max_size=3)
    if origin is Mapping:
        return st.dictionaries(any_of(parts[0]), any_of(parts[1]), max_size=2)
    raise TypeError(f"no strategy for {kind!r}")


@cache
def _value(kind: Any, /, **given: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 (any data class, any strategies)
    hints = get_type_hints(kind)
    drawn = {field.name: any_of(hints[field.name]) for field in fields(kind) if field.name not in given}
    return st.builds(kind, **drawn, **given)


def _outcomes() -> st.SearchStrategy[InvocationOutcome]:
    rest = {"answer_at": st.just(0), "messages": st.just(()), "tool_outcomes": st.just(()), "duration_ms": durations}
    made = _value(InvocationOutcome, **rest)
    return st.builds(lambda one, share: replace(one, answer_at=int(share * len(one.text))), made, st.floats(0, 1))


def _tool_outcomes() -> st.SearchStrategy[ToolOutcome]:
    ok = _value(ToolOutcome, status=st.just(ToolStatus.OK), error=st.just(None), duration_ms=durations)
    bad = st.sampled_from([status for status in ToolStatus if status is not ToolStatus.OK])
    return ok | _value(ToolOutcome, status=bad, error=spoken, duration_ms=durations)


def _attachments() -> st.SearchStrategy[Attachment]:
    inline = _value(Attachment, data=st.binary(min_size=1, max_size=8), url=st.just(""))
    return inline | _value(Attachment, data=st.just(b""), url=spoken)


def _limits() -> st.SearchStrategy[Limits]:
    wholes = {name: st.none() | st.integers(1, 2**70) for name in ("rounds", "tool_calls", "output_bytes", "tokens")}
    above_0 = st.none() | st.floats(0, exclude_min=True, allow_nan=False) | st.integers(1, 9)
    return _value(Limits, wall_clock_s=above_0, stall_s=above_0, **wholes)


def _dropped() -> st.SearchStrategy[ev.Dropped]:
    lost = _value(ev.Dropped, count=st.integers(1), first=st.integers(0, 5), last=st.integers(5))
    return lost.filter(lambda one: one.last >= one.first)


def _asked() -> st.SearchStrategy[ev.AskUser]:
    questions = _value(PendingInterrupt, kind=st.just(PauseKind.ASK_USER))
    return _value(ev.AskUser, pending=st.lists(questions, min_size=1, max_size=2).map(tuple))


_SPECIAL: dict[Any, Any] = {
    Any: lambda: json_values,
    str: lambda: texts,
    int: lambda: counts,
    float: lambda: floats | st.integers(0, 9),
    bool: st.booleans,
    bytes: lambda: st.binary(max_size=8),
    type(None): st.none,
    UsageDelta: lambda: usages,
    InvocationOutcome: _outcomes,
    ToolOutcome: _tool_outcomes,
    Attachment: _attachments,
    Limits: _limits,
    Retries: lambda: _value(Retries, attempts=st.integers(1, 9), first_wait_s=durations, longest_wait_s=durations),
    # A payload in JSON terms comes back read-only; the value itself does not freeze it.
    ModelTurn: lambda: _value(ModelTurn, payload=json_values.map(frozen)),
    TurnRequest: lambda: _value(TurnRequest, run_id=spoken),
    ev.Dropped: _dropped,
    ev.AskUser: _asked,
    ev.Interrupt: lambda: _value(
        ev.Interrupt, pending=st.lists(any_of(PendingInterrupt), min_size=1, max_size=2).map(tuple)
    ),
    ev.Error: lambda: _value(ev.Error, code=spoken),
}

entries = st.sampled_from([*ev.EVENT_TYPES, *FACT_TYPES]).flatmap(any_of)
places: dict[str, st.SearchStrategy[Any]] = {
    "seq": st.integers(0, 2**40),
    "index": st.integers(0, 2**40),
    "at_s": floats,
    "epoch": st.integers(0, 9),
}
entry_stretches = st.builds(EntryStretch, entries=st.lists(entries, max_size=2).map(tuple), **places)
_spoken_texts = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=6).map(tuple)
speech_stretches = st.builds(
    SpeechStretch, kind=st.sampled_from([TEXT, THINKING]), key=st.integers(1, 99), texts=_spoken_texts, **places
) | st.builds(SpeechStretch, kind=st.just(ARGUMENTS), key=texts.map(CallId), texts=_spoken_texts, **places)
stretches = speech_stretches | entry_stretches


def exact(value: object) -> object:
    """A value taken apart with the class of each part, so that 1, 1.0 and True, and 0.0 and -0.0, differ."""
    kind = type(value)
    if is_dataclass(value) and not isinstance(value, type):
        return kind, [(field.name, exact(getattr(value, field.name))) for field in fields(value)]
    if isinstance(value, Mapping):
        return kind, [(key, exact(item)) for key, item in value.items()]
    if isinstance(value, tuple | list):
        return kind, [exact(item) for item in value]
    if isinstance(value, frozenset):
        return kind, sorted(value)
    return kind, repr(value)
