"""Whether a provider would take what a model is told: messages, calls and their results.

In: the messages of a request in a provider's own words. Out: violations, as sentences.

Source: docs/testing.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from treadle.errors import MisuseError
from treadle.testing.anthropic_transcript import anthropic_problems
from treadle.testing.chat_transcript import chat_problems

Provider = Literal["openai", "anthropic"]


def check_transcript(
    messages: Sequence[Mapping[str, Any]], provider: Provider, *, received: Sequence[Mapping[str, Any]] = ()
) -> list[str]:
    """What a strict provider would refuse in the messages of a request; empty for sound ones.

    Shape:  `messages` as they stand in a request to OpenAI's chat completions or to Anthropic's messages. `received`:
            the model's own answers of the turns before, of which Anthropic wants the thinking back unchanged.
    Raises:
        MisuseError: The provider is none of these.
    """
    if provider not in get_args(Provider):
        raise MisuseError(f"provider must be one of {get_args(Provider)!r}, not {provider!r}")
    return chat_problems(messages) if provider == "openai" else anthropic_problems(messages, received)


def assert_transcript(
    messages: Sequence[Mapping[str, Any]], provider: Provider, *, received: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Hold the messages of a request to the rules of `check_transcript`.

    Raises:
        AssertionError: It tells every violation.
    """
    problems = check_transcript(messages, provider, received=received)
    if problems:
        raise AssertionError(f"not a transcript for {provider!r}:\n" + "\n".join(problems))
