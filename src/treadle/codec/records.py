"""Stretches of a log to rows, and requests to bytes, and back: the stored form of all that a run must keep.

In: a stretch. Out: a row, whose `body` is JSON; the same stretch gives the same bytes. A row of speech holds its texts
joined and where each ends; a row of entries is a list of objects, each with its `kind`. Knows nothing of a store.

Shape: `load(dump(x)) == x` for all that can be in a log, with what is stated in docs/records.md: halves of surrogate
pairs are replaced, and what an outcome holds for callers in process alone is not stored.

Source: docs/records.md, ADR 0014 (what a row is).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Final

import msgspec

from treadle.codec.entry_forms import RULES, entry_form, fact_forms, request_form
from treadle.codec.forms import many, read_json, stored_bytes
from treadle.codec.payloads import PLAIN_PAYLOADS, Payloads
from treadle.codec.upcast import FORM_VERSION, STEPS, Step, upcast
from treadle.errors import RecordFormatError
from treadle.framing.surrogates import whole_text
from treadle.values.facts import RequestKept
from treadle.values.ids import CallId
from treadle.values.limits import RunRules
from treadle.values.mappings import Json
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.requests import TurnRequest
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

ENTRIES: Final = "entries"
REQUEST: Final = "request"


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One stretch at rest.

    Shape: `kind` is that of the speech (`text`, `thinking`, `arguments`) or `entries`; `seq` and `index` are those of
    the stretch; `version` says in which form `body` is written.
    Units: `at_s` is UTC seconds by the writer's clock.
    """

    seq: int
    index: int
    epoch: int
    at_s: float
    kind: str
    version: int
    body: bytes


class _Speech(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The body of a row of speech. `ends` counts characters from the start of the text; None for one text alone."""

    key: int | str
    text: str
    ends: list[int] | None = None


MOST_FRESH: Final = 256
"""Requests that were written and not read yet, of which a codec remembers what they say."""


class RecordCodec:
    """Writes and reads rows. It keeps nothing but its tables: one may serve any number of runs.

    `payloads` are those of the models whose turns are in the log.
    """

    __slots__ = ("_asked", "_entries", "_fresh", "_request", "_steps", "_written_rules")

    def __init__(self, payloads: Payloads = PLAIN_PAYLOADS, *, steps: Mapping[int, Step] = STEPS) -> None:
        self._entries = many(entry_form(payloads))
        self._request = fact_forms(payloads)[RequestKept]
        self._steps = steps
        self._asked = request_form(payloads)
        self._written_rules: tuple[RunRules | None, Json] = (None, None)
        """The rules that were written last, and how."""
        self._fresh: dict[bytes, tuple[TurnRequest, RunRules]] = {}

    def dump_stretch(self, stretch: Stretch, /) -> Row:
        """The row of a stretch.

        Raises:
            MisuseError: A payload that its adapter did not turn into JSON terms, or an entry with a field of a class
                that is not its own.
        """
        kind, body = (
            (stretch.kind, _dump_speech(stretch))
            if isinstance(stretch, SpeechStretch)
            else (ENTRIES, stored_bytes(self._entries.dump(stretch.entries)))
        )
        return Row(
            seq=stretch.seq,
            index=stretch.index,
            epoch=stretch.epoch,
            at_s=stretch.at_s,
            kind=kind,
            version=FORM_VERSION,
            body=body,
        )

    def load_stretch(self, row: Row, /) -> Stretch:
        """The stretch of a row, from whichever version of the form.

        Raises:
            RecordFormatError: The row is of an unknown kind or version, or damaged. It says which and where, and tells
                nothing of the content.
        """
        try:
            return self._load(row)
        except RecordFormatError as error:
            place = f"row of kind {row.kind!r} at seq {row.seq!r}"
            raise RecordFormatError(f"{place}: {error}", version=_told(row.version)) from error

    def dump_request(self, request: TurnRequest, rules: RunRules, /) -> bytes:
        """The stored form of what was asked and by which rules; it carries its version in itself."""
        terms = {"version": FORM_VERSION, "request": self._asked.dump(request), "rules": self._rules_of(rules)}
        body = stored_bytes(terms)
        if not (request.history or request.attachments or request.properties or _REPLACED in body):
            # It reads as it was given, so whoever works on it in this process need not read it.
            if len(self._fresh) >= MOST_FRESH:
                self._fresh.clear()
            self._fresh[body] = request, rules
        return body

    def load_request(self, body: bytes, /) -> tuple[TurnRequest, RunRules]:
        """What was asked, from whichever version of the form.

        Raises:
            RecordFormatError: The bytes are of an unknown version, or damaged.
        """
        fresh = self._fresh.pop(body, None)
        if fresh is not None:
            return fresh
        version = None
        try:
            terms = read_json(body)
            version = terms.pop("version", None) if type(terms) is dict else None
            _, terms = upcast(REQUEST, terms, version=version, steps=self._steps)
            kept: RequestKept = self._request.load(terms)
        except RecordFormatError as error:
            raise RecordFormatError(f"stored request: {error}", version=_told(version)) from error
        return kept.request, kept.rules

    def _rules_of(self, rules: RunRules) -> Json:
        """The stored form of rules: those of an agent are the same for all its runs, so it is written once."""
        known, written = self._written_rules
        if known is not rules:
            written = msgspec.Raw(stored_bytes(RULES.dump(rules)))
            self._written_rules = rules, written
        return written

    def _load(self, row: Row) -> Stretch:
        if not (type(row.seq) is type(row.index) is type(row.epoch) is int and type(row.at_s) in _TIMES):
            raise RecordFormatError("expected whole numbers for seq, index and epoch, and a number for the time")
        if row.version == FORM_VERSION and row.kind in _SPEECH_KEYS:
            return _load_speech(row, row.kind, _decoded_speech(row.body))
        kind, terms = upcast(row.kind, read_json(row.body), version=row.version, steps=self._steps)
        if kind in _SPEECH_KEYS:
            return _load_speech(row, kind, _converted_speech(terms))
        if kind != ENTRIES:
            raise RecordFormatError(f"unknown kind {kind!r}")
        entries = self._entries.load(terms)
        return EntryStretch(seq=row.seq, index=row.index, entries=entries, at_s=row.at_s, epoch=row.epoch)


def _dump_speech(stretch: SpeechStretch) -> bytes:
    texts = stretch.texts
    try:
        return _encode(_speech(stretch.key, texts))
    except UnicodeEncodeError:
        return _encode(_speech(stretch.key, tuple(map(whole_text, texts))))


def _speech(key: int | CallId, texts: tuple[str, ...]) -> _Speech:
    if len(texts) == 1:
        return _Speech(key, texts[0])
    return _Speech(key, "".join(texts), list(accumulate(map(len, texts))))


def _decoded_speech(body: bytes) -> _Speech:
    try:
        return _DECODER.decode(body)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordFormatError("the bytes are no speech, or damaged") from error


def _converted_speech(terms: Json) -> _Speech:
    try:
        return msgspec.convert(terms, _Speech)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordFormatError("the terms are no speech") from error


def _load_speech(row: Row, kind: str, speech: _Speech) -> SpeechStretch:
    key = speech.key
    if type(key) is not _SPEECH_KEYS[kind]:
        raise RecordFormatError(f"key: expected {_SPEECH_KEYS[kind].__name__!r}, not {type(key).__name__!r}")
    texts = _split(speech.text, speech.ends)
    return SpeechStretch(
        seq=row.seq,
        index=row.index,
        kind=kind,
        key=key if isinstance(key, int) else CallId(key),
        texts=texts,
        at_s=row.at_s,
        epoch=row.epoch,
    )


def _split(text: str, ends: list[int] | None) -> tuple[str, ...]:
    """The texts, none empty. Ends that do not rise from above 0 to the end of the text are damage."""
    places = (len(text),) if ends is None else ends
    texts = tuple([text[start:end] for start, end in zip((0, *places), places, strict=False)])
    if not texts or places[-1] != len(text) or min(places) < 0 or not all(texts):
        raise RecordFormatError(f"ends: expected places that rise from above 0 to {len(text)}, the end of the text")
    return texts


def _told(version: object) -> int | None:
    return version if type(version) is int else None


_REPLACED: Final = "\N{REPLACEMENT CHARACTER}".encode()
"""Stands where half a surrogate pair came in."""
_SPEECH_KEYS: Final[Mapping[str, type]] = {TEXT: int, THINKING: int, ARGUMENTS: str}
_TIMES: Final = frozenset({float, int})
_DECODER: Final = msgspec.json.Decoder(_Speech)
_encode: Final = msgspec.json.Encoder().encode
