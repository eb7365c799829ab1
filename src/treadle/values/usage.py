"""What a run has spent, as told by its providers.

0 means unreported, never free: nothing here estimates, and a measured zero is told by `reported`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

COUNTS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_creation_tokens",
    "reasoning_tokens",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDelta:
    """Token counts of one round, or a sum of rounds.

    Units: tokens. `total_tokens` is what a provider called the total, kept even where it gave no split.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    reasoning_tokens: int = 0
    cache_ttl: str | None = None
    reported: frozenset[str] = frozenset()
    """Names of the counts a provider gave, so that a measured zero can be told from silence."""
    unmeasured_rounds: int = 0
    """How many attempts of this sum gave no usage at all."""

    def __post_init__(self) -> None:
        given = {name for name in COUNTS if getattr(self, name)}
        for name in (*given, "unmeasured_rounds"):
            count = getattr(self, name)
            if type(count) is not int or count < 0:
                raise ValueError(f"{name} must be a whole number of 0 or more, not {count!r}")
        unknown = self.reported - set(COUNTS)
        if unknown:
            raise ValueError(f"reported must name counts of {COUNTS!r}, not {sorted(unknown)!r}")
        object.__setattr__(self, "reported", frozenset(self.reported | given))

    def __add__(self, other: UsageDelta) -> UsageDelta:
        """The sum. Two rounds with different cache TTLs sum to the counts and a TTL of None."""
        # What is added up was checked when it was made, and a round is added up in every run.
        total = object.__new__(UsageDelta)
        for name in _ADDED:
            object.__setattr__(total, name, getattr(self, name) + getattr(other, name))
        object.__setattr__(total, "cache_ttl", _joined_ttl(self, other))
        object.__setattr__(total, "reported", self.reported | other.reported)
        return total

    @property
    def spent_tokens(self) -> int:
        """What one round counts towards a token limit: the provider's total, or input and output without one.

        Of a sum of rounds it would count too little: add up the rounds' own.
        """
        return max(self.total_tokens, self.input_tokens + self.output_tokens)


_ADDED = (*COUNTS, "unmeasured_rounds")

NO_USAGE = UsageDelta()
UNMEASURED_ROUND = UsageDelta(unmeasured_rounds=1)


def usage_sum(parts: Iterable[UsageDelta]) -> UsageDelta:
    """All of `parts` added up; `NO_USAGE` for none."""
    total = NO_USAGE
    for part in parts:
        total = total + part
    return total


def usage_since(now: UsageDelta, before: UsageDelta) -> UsageDelta:
    """What was spent between two sums of one run: `before` is the earlier.

    Shape:  a count that did not grow is reported where it was not before; that it was measured again as zero cannot be
            told from silence.
    """
    grown = {name: getattr(now, name) - getattr(before, name) for name in _ADDED}
    reported = {name for name in COUNTS if grown[name]} | (now.reported - before.reported)
    return UsageDelta(**grown, cache_ttl=now.cache_ttl, reported=frozenset(reported))


def count_or_none(usage: UsageDelta, name: str) -> int | None:
    """The count called `name`, or None where no provider reported it."""
    if name not in _NAMES:
        raise ValueError(f"expected a count of {COUNTS!r}, not {name!r}")
    value: int = getattr(usage, name)
    return value if name in usage.reported else None


def _joined_ttl(one: UsageDelta, other: UsageDelta) -> str | None:
    if not one.reported and one.cache_ttl is None:
        return other.cache_ttl
    if not other.reported and other.cache_ttl is None:
        return one.cache_ttl
    return one.cache_ttl if one.cache_ttl == other.cache_ttl else None


_NAMES = frozenset(field.name for field in fields(UsageDelta)) & frozenset(COUNTS)
