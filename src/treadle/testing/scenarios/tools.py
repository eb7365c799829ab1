"""The tools that the scripted agents call."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from treadle.plan.tools import tool
from treadle.testing.faults.steps import LEAK_MARK


@tool(idempotent=True)
async def count(text: str) -> int:
    """Count the characters of a text."""
    return len(text)


@tool(idempotent=True)
async def shout(text: str) -> AsyncGenerator[object, None]:
    """Say a text in capitals, word by word."""
    words = text.split()
    for number, word in enumerate(words, 1):
        yield {"word": word.upper(), "number": number}
    yield {"shouted": " ".join(words).upper()}


@tool(idempotent=True)
async def fail(text: str) -> str:
    """Raise an error whose text is for operators alone."""
    raise RuntimeError(f"{LEAK_MARK}: {text}")


@tool(requires_approval=True)
async def publish(text: str) -> str:
    """Publish a text, once a person has allowed it."""
    return f"published {text!r}"
