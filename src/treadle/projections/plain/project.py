"""Stretches of a run's log to the payloads of the plain wire.

In: a stretch, in log order from anywhere. Out: a payload for every event of it behind a place. Knows nothing of
framing, of cursors or of who reads. This projection keeps no state, so nothing has to be folded from the beginning.

Shape: the texts of speech are pure ASCII on the wire, by JSON's escapes: to encode them is to copy them, and no reader
can take a line separator in them for a line end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring_ascii
from typing import Final

from treadle.codec.events import EVENT_SHAPES, kernel_event_json
from treadle.codec.foreign import json_text
from treadle.codec.safe_integers import with_safe_integers
from treadle.projections.plain.wire import Integers, Payload, speech_template
from treadle.values.events import KernelEvent
from treadle.values.ids import RunId
from treadle.values.stretches import SpeechStretch, Stretch, events_of

Maker = Callable[[KernelEvent, Integers], str]


def payloads(stretch: Stretch, run_id: RunId, *, after: int, integers: Integers) -> list[Payload]:
    """The events of a stretch whose index is above `after`, in order."""
    if isinstance(stretch, SpeechStretch):
        return _speech(stretch, run_id, after)
    return [
        (event.index, event.kind, PAYLOADS[type(event)](event, integers))
        for event in events_of(stretch, run_id, after=after)
    ]


def spoken(stretch: SpeechStretch, after: int) -> Iterable[tuple[int, str]]:
    """The index and the text of each piece above `after`: what a framing puts into its template."""
    skip = max(0, after + 1 - stretch.index)
    return enumerate(stretch.texts[skip:] if skip else stretch.texts, stretch.index + skip)


def _speech(stretch: SpeechStretch, run_id: RunId, after: int) -> list[Payload]:
    made = speech_template(stretch.kind, run_id, stretch.key)
    kind, before, between = made.kind, made.before, made.between
    return [
        (index, kind, f"{before}{index}{between}{encode_basestring_ascii(text)}}}")
        for index, text in spoken(stretch, after)
    ]


def _whole(event: KernelEvent, integers: Integers) -> str:
    terms = kernel_event_json(event)
    return json_text(with_safe_integers(terms) if integers is Integers.TEXT else terms)


PAYLOADS: Final[Mapping[type[KernelEvent], Maker]] = dict.fromkeys(EVENT_SHAPES, _whole)
"""Total: an event class that is not in it is a `KeyError`."""
