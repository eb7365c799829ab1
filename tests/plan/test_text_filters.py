"""Names and filter objects to a plan's filters."""

from __future__ import annotations

import threading
from itertools import permutations

import pytest

from treadle.plan.text_filters import FILTER_NAMES, chosen_filters, filter_name


class _Shout:
    def __init__(self) -> None:
        self.fed: list[str] = []

    def feed(self, text: str) -> str:
        self.fed.append(text)
        return text.upper()

    def flush(self) -> str:
        return ""


class _Locked(_Shout):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def _make() -> _Shout:
    return _Shout()


@pytest.mark.requirement("PLAN-2")
@pytest.mark.parametrize("names", list(permutations(FILTER_NAMES)))
def test_named_filters_stand_in_one_order_however_they_are_written(names: tuple[str, ...]) -> None:
    """Think, block, citation, redact (ours)."""
    assert chosen_filters(names) == (("think", "block", "citation", "redact"), [])


def test_a_users_own_filters_keep_their_order_and_stand_before_redact() -> None:
    """Nothing is added behind the last guard (ours)."""
    filters, problems = chosen_filters(["redact", _Shout, _make, "think"])
    assert problems == []
    assert filters == ("think", _Shout, _make, "redact")
    assert chosen_filters([_Shout, "think"])[0] == ("think", _Shout)


def test_a_filter_object_is_copied_for_each_segment_as_it_was_when_declared() -> None:
    """A filter has a state; two runs share none (ours)."""
    declared = _Shout()
    declared.feed("before")
    (choice,), problems = chosen_filters([declared])
    declared.feed("after")
    assert problems == []
    assert callable(choice)
    one, other = choice(), choice()
    one.feed("x")
    assert isinstance(other, _Shout)
    assert other.fed == ["before"]


@pytest.mark.requirement("PLAN-1")
def test_what_is_no_filter_is_a_problem() -> None:
    """All of them are told (ours)."""
    filters, problems = chosen_filters(["thnk", "think", "think", 3, int, _Locked()])
    assert filters == ("think",)
    assert problems == [
        "no text filter is called 'thnk'; there are think, block, citation, redact",
        "text filter 'think' stands twice",
        "text filter 'int' has no feed and flush, or cannot be copied",
        "text filter 'type' has no feed and flush, or cannot be copied",
        "text filter '_Locked' has no feed and flush, or cannot be copied",
    ]
    assert chosen_filters("think")[1] == ["text_filters must be a list of names and filters, not 'think'"]
    assert chosen_filters(None)[1] == ["text_filters must be a list of names and filters, not None"]


def test_a_filter_is_called_by_its_name_or_its_class() -> None:
    """The same filter has the same name in another process (ours)."""
    (copied, made, kind), _ = chosen_filters([_Shout(), _make, _Shout])
    assert filter_name("think") == "think"
    assert filter_name(copied) == filter_name(kind) == f"{__name__}:_Shout"
    assert filter_name(made) == f"{__name__}:_make"
    assert filter_name(_Shout().feed.__self__) == f"{__name__}:_Shout"  # type: ignore[arg-type]  # wrong on purpose
