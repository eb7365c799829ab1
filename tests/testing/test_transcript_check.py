"""Whether a provider would take what a model is told."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.errors import MisuseError
from treadle.testing.transcript_check import Provider, assert_transcript, check_transcript

SOUND: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
ORPHAN: list[dict[str, Any]] = [*SOUND, {"role": "tool", "tool_call_id": "c1", "content": "3"}]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_each_provider_has_its_own_rules(provider: Provider) -> None:
    """The same list is held to the rules of the provider that is named (ours)."""
    assert check_transcript(SOUND, provider) == []
    assert_transcript(SOUND, provider)
    (found,) = check_transcript(ORPHAN, provider)
    assert ("which no call has" in found) is (provider == "openai")
    with pytest.raises(AssertionError, match=f"not a transcript for '{provider}':\nmessages"):
        assert_transcript(ORPHAN, provider)


def test_what_the_model_said_is_held_against_what_is_sent() -> None:
    """Thinking beside a call goes back unchanged (BR-053)."""
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": ""}
    given = {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}, call]}
    sent = [*SOUND, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    assert check_transcript(sent, "anthropic") == []
    assert len(check_transcript(sent, "anthropic", received=[given])) == 1


def test_a_provider_nobody_knows_is_a_misuse() -> None:
    """A misspelled name must not pass as a sound transcript (ours)."""
    with pytest.raises(MisuseError, match="not 'opnai'"):
        check_transcript(SOUND, "opnai")  # type: ignore[arg-type]  # on purpose
