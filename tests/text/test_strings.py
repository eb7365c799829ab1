"""One change to every string of a value."""

from __future__ import annotations

from types import MappingProxyType

from treadle.text.strings import map_strings


def test_every_string_is_changed_and_the_value_left_alone() -> None:
    """Ours: keys and values, at any place; what is no string stays; tuples come out as lists."""
    value = {"a": ["b", 1, None, {"c": ("d", True)}], "e": MappingProxyType({"f": "g"}), 5: "h"}
    changed = {"A": ["B", 1, None, {"C": ["D", True]}], "E": {"F": "G"}, 5: "H"}
    assert map_strings(value, str.upper) == changed
    assert value["a"] == ["b", 1, None, {"c": ("d", True)}]
    assert (map_strings("a", str.upper), map_strings(5, str.upper), map_strings([], str.upper)) == ("A", 5, [])


def test_depth_costs_no_stack() -> None:
    """Ours: a value may be nested deeper than any stack."""
    value: object = "a"
    for _ in range(50_000):
        value = [value]
    changed = map_strings(value, str.upper)
    while isinstance(changed, list):
        (changed,) = changed
    assert changed == "A"
