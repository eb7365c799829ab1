"""What an adapter leaves in a turn."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.codec.payloads import PLAIN_PAYLOADS, payload_form
from treadle.errors import MisuseError, RecordFormatError
from treadle.values.mappings import FrozenDict

PLAIN = payload_form(PLAIN_PAYLOADS)


class Sealed:
    """An adapter that keeps a seal as bytes, and reads it carelessly."""

    def dump(self, payload: Any, /) -> Any:  # noqa: ANN401 (an adapter's own object)
        return payload if payload is None else {"seal": payload.hex()}

    def load(self, value: Any, /) -> Any:  # noqa: ANN401 (an adapter's own object)
        return value if value is None else bytes.fromhex(value["seal"])


SEALED = payload_form(Sealed())


def nested(levels: int) -> object:
    """Lists in lists."""
    made: list[object] = []
    for _ in range(levels):
        made = [made]
    return made


@pytest.mark.parametrize("payload", [None, 1, "s", {"a": [1, {"b": None}]}, nested(150)])
@pytest.mark.requirement("REC-payload")
def test_json_terms_are_kept_as_they_are(payload: object) -> None:
    """Ours: an adapter whose payload is JSON needs nothing."""
    assert PLAIN.dump(payload) is payload


@pytest.mark.requirement("REC-payload")
def test_json_terms_come_back_read_only() -> None:
    """Ours: a turn is a value."""
    loaded = PLAIN.load({"a": [1]})
    assert loaded == {"a": (1,)}
    assert type(loaded) is FrozenDict


@pytest.mark.parametrize("payload", [object(), {1: 2}, [{1, 2}], b"x", float("nan"), 2**2048, nested(5000)])
@pytest.mark.requirement("REC-payload")
def test_what_is_not_json_is_refused(payload: object) -> None:
    """Ours: it would come back as something else than the adapter gave."""
    with pytest.raises(MisuseError, match="the dump and load of the adapter"):
        PLAIN.dump(payload)


@pytest.mark.requirement("REC-payload")
def test_an_adapter_writes_and_reads_its_own() -> None:
    """Design: stored through that adapter's own dump and load."""
    assert SEALED.dump(b"\x01") == {"seal": "01"}
    assert SEALED.load({"seal": "01"}) == b"\x01"


@pytest.mark.parametrize("terms", [[], 1, {}, {"seal": 1}, {"seal": "x"}])
@pytest.mark.requirement("REC-payload")
def test_what_an_adapter_trips_over_is_damage(terms: object) -> None:
    """Ours: a reader of a damaged log is told that, and nothing of how an adapter reads."""
    with pytest.raises(RecordFormatError, match="its adapter cannot read"):
        SEALED.load(terms)
