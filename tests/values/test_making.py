"""Frozen data classes made at a lower price."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.values.making import maker, maker_from, quickly_made


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """Nothing is done after it is made."""

    first: int
    second: str
    third: int = 3


make_plain = maker(Plain)
make_simple = maker_from(Simple, "first")
make_doubled = maker_from(Plain, "needed")


@given(GIVEN)
def test_a_maker_makes_what_the_constructor_makes(told) -> None:
    """Ours: whatever is given or left out, it is a value of the class and nothing else."""
    made, plain = make_plain(**told), Plain(**told)
    assert type(made) is Plain
    assert (made, repr(made)) == (plain, repr(plain))
    assert made == replace(made) == copy.deepcopy(made) == pickle.loads(pickle.dumps(made))
    assert make_plain(needed=1).parts is not make_plain(needed=1).parts


@given(st.integers(), st.text(), st.integers())
def test_a_maker_takes_fields_from_a_mapping(first: int, second: str, third: int) -> None:
    """Ours: the first by position, the others by name; what the mapping leaves out has its default."""
    assert make_simple(first, {"second": second, "third": third}) == Simple(first=first, second=second, third=third)
    assert make_simple(first, {"second": second}) == Simple(first=first, second=second)
    assert make_doubled(first, {"text": second, "parts": [], "doubled": 0}) == Plain(needed=first, text=second)


@pytest.mark.parametrize("given", [{}, {"second": "", "fourth": 4}, {"second": "", "third": 3, "fourth": 4}])
def test_a_mapping_that_does_not_fit_is_for_the_constructor_to_judge(given) -> None:
    """Ours: what is missing or unknown is a `TypeError` that names it."""
    with pytest.raises(TypeError, match="second" if not given else "fourth"):
        make_simple(1, given)


def test_what_a_maker_made_is_frozen() -> None:
    """Ours: the maker may fill it, nobody else may."""
    for made in (make_plain(needed=1), make_simple(1, {"second": "", "third": 3})):
        with pytest.raises(FrozenInstanceError):
            setattr(made, fields(made)[0].name, 2)
        assert not hasattr(made, "__dict__")


def test_a_maker_refuses_wrong_arguments_in_the_name_of_the_class() -> None:
    """Ours: who gives too little reads which value it was."""
    for told, named in (({}, "needed"), ({"needed": 1, "other": 2}, "other")):
        with pytest.raises(TypeError, match=rf"Plain\(\) .*{named}"):
            make_plain(**told)


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

    for make in (maker, maker_from):
        with pytest.raises(TypeError, match=r"Loose\.one must be"):
            make(dataclass(frozen=True, kw_only=True)(type("Loose", (), {"__annotations__": {"one": int}})))

    with pytest.raises(TypeError, match=r"Placed\.one must be"):

        @quickly_made
        @dataclass(frozen=True, slots=True)
        class Placed:
            one: int
