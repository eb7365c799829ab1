"""Spans as values: what a fold of records says of them, before anyone exports them.

Knows nothing of OpenTelemetry's library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treadle.framing.surrogates import whole_text

Attribute = str | bool | int | float | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOpened:
    """A span begins.

    Shape: `key` is unique in its run. `parent` is the key of the span it stands in, None for a segment's; `follows`
    is the key of the earlier segment's span.
    Units: `at_s` is UTC seconds, by the records.
    """

    key: int
    name: str
    at_s: float
    attributes: Mapping[str, Attribute]
    parent: int | None = None
    follows: int | None = None
    is_client: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEnded:
    """A span that was opened ends, once. `failure` is the code of its error; None where it is none."""

    key: int
    at_s: float
    attributes: Mapping[str, Attribute]
    failure: str | None = None


Mark = SpanOpened | SpanEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedSpan:
    """A whole span.

    Shape: `key`, `parent` and `follows` as in `SpanOpened`; all attributes, of its begin and of its end.
    Units: times are UTC seconds, by the records.
    """

    key: int
    name: str
    started_s: float
    ended_s: float
    attributes: Mapping[str, Attribute]
    parent: int | None = None
    follows: int | None = None
    is_client: bool = False
    failure: str | None = None


def finished(opened: SpanOpened, ended: SpanEnded) -> FinishedSpan:
    """The two ends of one span, put together."""
    return FinishedSpan(
        key=opened.key,
        name=opened.name,
        started_s=opened.at_s,
        ended_s=ended.at_s,
        attributes={**opened.attributes, **ended.attributes},
        parent=opened.parent,
        follows=opened.follows,
        is_client=opened.is_client,
        failure=ended.failure,
    )


def named(operation: str, subject: str) -> str:
    """A span's name: the operation, and what it is done with where that is known."""
    return f"{operation} {whole_text(subject)}" if subject else operation


def known(attributes: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    """Attributes without those of which nothing is known: None and the empty text.

    Shape:  text is plain, whatever kind of text it came as, and fit for any encoder.
    """
    return {name: _plain(value) for name, value in attributes.items() if value is not None and value != ""}


def _plain(value: Attribute) -> Attribute:
    if isinstance(value, str):
        return whole_text(str(value))
    return tuple(whole_text(str(text)) for text in value) if isinstance(value, tuple) else value
