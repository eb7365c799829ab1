"""The adapter's own part of a turn, stored and read again."""

import pytest

from treadle.adapters.models.openai_chat.payload import ChatPayload, dump_payload, load_payload
from treadle.errors import RecordFormatError


@pytest.mark.parametrize(
    "payload",
    [None, ChatPayload(), ChatPayload(reasoning_field="reasoning", call_seals={"0": {"google": {"sig": ["x", 1]}}})],
)
def test_a_payload_comes_back_from_its_stored_form(payload: ChatPayload | None) -> None:
    """For every payload there is (ours)."""
    assert load_payload(dump_payload(payload)) == payload


@pytest.mark.parametrize("stored", [[], {}, {"reasoning_field": "content", "call_seals": {}}, {"reasoning_field": ""}])
def test_a_form_of_another_adapter_is_refused(stored: object) -> None:
    """It would send fields that no provider asked for (ours)."""
    with pytest.raises(RecordFormatError):
        load_payload(stored)
