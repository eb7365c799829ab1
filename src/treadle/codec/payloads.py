"""What a model's adapter leaves in a turn, to JSON terms and back.

Only the adapter that made a payload knows it, so the stored form is that adapter's own.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from treadle.codec.foreign import in_json_terms
from treadle.codec.forms import Form
from treadle.errors import MisuseError, RecordFormatError
from treadle.values.mappings import Json, frozen


class Payloads(Protocol):
    """The stored form of the payloads of one or more adapters. A model adapter with payloads is one of these."""

    def dump(self, payload: Any, /) -> Json:  # noqa: ANN401 (an adapter's own object)
        """A payload in JSON terms. None, for a turn without one, stays None."""
        ...

    def load(self, value: Json, /) -> Any:  # noqa: ANN401 (an adapter's own object)
        """The payload that `dump` gave this for.

        Raises:
            RecordFormatError: No `dump` gives this.
        """
        ...


class PlainPayloads:
    """For adapters whose payloads are JSON terms already. They come back as frozen terms."""

    def dump(self, payload: Any, /) -> Json:  # noqa: ANN401 (an adapter's own object)
        """The payload itself."""
        return payload

    def load(self, value: Json, /) -> Json:
        """The same terms, read-only."""
        return frozen(value)


PLAIN_PAYLOADS: Final = PlainPayloads()


def payload_form(payloads: Payloads) -> Form:
    """The form of a turn's payload, whoever made it."""

    def dump(payload: object) -> Json:
        terms = payloads.dump(payload)
        if not _can_be_stored(terms):
            raise MisuseError(
                f"a payload is stored in JSON terms, and {type(terms).__name__!r} is none: "
                "give the records the dump and load of the adapter that made it"
            )
        return terms

    def load(terms: Json) -> Any:  # noqa: ANN401 (an adapter's own object)
        try:
            return payloads.load(terms)
        except _MISREAD as error:
            raise RecordFormatError("its adapter cannot read this payload") from error

    return Form(dump=dump, load=load)


def _can_be_stored(terms: object) -> bool:
    try:
        frozen(terms)
        return in_json_terms(terms)
    except (ValueError, RecursionError):
        return False


# How code that expected another shape fails. `RecordFormatError` is none of these and goes through with its words.
_MISREAD: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
