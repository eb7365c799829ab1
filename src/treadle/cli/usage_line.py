"""What a run spent, in words: a count nobody reported is said to be missing, never shown as 0."""

from __future__ import annotations

from treadle.values.usage import UsageDelta, count_or_none

MISSING = "not reported"
_ALWAYS = {"input": "input_tokens", "output": "output_tokens", "total": "total_tokens"}
_IF_REPORTED = {
    "read from cache": "cache_read_tokens",
    "written to cache": "cache_creation_tokens",
    "reasoning": "reasoning_tokens",
}


def usage_line(usage: UsageDelta) -> str:
    """The counts of `usage`, in tokens."""
    if not usage.reported:
        return f"tokens {MISSING}"
    always = [f"{word} {_count(usage, name)}" for word, name in _ALWAYS.items()]
    others = [f"{word} {_count(usage, name)}" for word, name in _IF_REPORTED.items() if name in usage.reported]
    missing = f"; rounds without a count: {usage.unmeasured_rounds}" if usage.unmeasured_rounds else ""
    return f"tokens: {', '.join([*always, *others])}{missing}"


def duration(duration_ms: float) -> str:
    """A time for people: two figures of a millisecond, whole milliseconds, or tenths of a second."""
    if duration_ms < 9.95:
        return f"{duration_ms:.1f} ms"
    if duration_ms < 999.5:
        return f"{duration_ms:.0f} ms"
    return f"{duration_ms / 1000:.1f} s"


def _count(usage: UsageDelta, name: str) -> str:
    count = count_or_none(usage, name)
    return MISSING if count is None else str(count)
