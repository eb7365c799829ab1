"""Frozen data classes with the cheaper constructor."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.values.making import quickly_made


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """As `dataclasses` makes it."""

    needed: int
    text: str = "x"
    parts: list[int] = field(default_factory=list)
    doubled: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "doubled", self.needed * 2)


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Quick:
    """The same, made quickly."""

    needed: int
    text: str = "x"
    parts: list[int] = field(default_factory=list)
    doubled: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "doubled", self.needed * 2)


GIVEN = st.fixed_dictionaries(
    {"needed": st.integers()}, optional={"text": st.text(), "parts": st.lists(st.integers()), "doubled": st.integers()}
)


@given(GIVEN)
def test_it_is_made_as_the_other_is(told) -> None:
    """Ours: whatever is given or left out, the fields are the same."""
    quick, plain = Quick(**told), Plain(**told)
    for name in ("needed", "text", "parts", "doubled"):
        assert getattr(quick, name) == getattr(plain, name)
    assert quick == Quick(**told) == replace(quick) == copy.deepcopy(quick) == pickle.loads(pickle.dumps(quick))
    assert repr(quick) == repr(plain).replace("Plain", "Quick")


def test_it_is_frozen() -> None:
    """Ours: what the constructor may do, nobody else may."""
    with pytest.raises(FrozenInstanceError):
        Quick(needed=1).needed = 2


def test_each_gets_a_default_of_its_own() -> None:
    """Ours: a factory is called for each value."""
    assert Quick(needed=1).parts is not Quick(needed=1).parts


@pytest.mark.parametrize("told", [{}, {"needed": 1, "other": 2}])
def test_wrong_arguments_are_refused_as_before(told) -> None:
    """Ours: what is missing or unknown is a `TypeError` that names it."""
    with pytest.raises(TypeError, match="needed" if not told else "other"):
        Quick(**told)
    with pytest.raises(TypeError):
        Quick(1)


def test_its_signature_names_the_same_parameters() -> None:
    """Ours: an editor shows what it showed."""
    quick, plain = inspect.signature(Quick), inspect.signature(Plain)
    assert list(quick.parameters) == list(plain.parameters)
    assert [one.annotation for one in quick.parameters.values()] == [
        one.annotation for one in plain.parameters.values()
    ]


def test_its_annotations_are_evaluated_where_they_were_written() -> None:
    """Ours: frameworks that wire by types ask the constructor for them."""
    quick, plain = (inspect.signature(one, eval_str=True).parameters for one in (Quick, Plain))
    assert dict(quick).keys() == dict(plain).keys()
    assert [one.annotation for one in quick.values()] == [int, str, list[int], int]
    assert get_type_hints(Quick.__init__) == get_type_hints(Plain.__init__)
    assert Quick.__init__.__module__ == __name__


def test_a_class_that_it_cannot_serve_is_refused() -> None:
    """Ours: a field without a slot, or one that takes a position, is the declaring module's mistake."""
    with pytest.raises(TypeError, match=r"Loose\.one must be"):

        @quickly_made
        @dataclass(frozen=True, kw_only=True)
        class Loose:
            one: int

    with pytest.raises(TypeError, match=r"Placed\.one must be"):

        @quickly_made
        @dataclass(frozen=True, slots=True)
        class Placed:
            one: int
