"""What is a reader's own, read from texts."""

from __future__ import annotations

import pytest

from treadle.errors import PlanError
from treadle.server.wires.replay_values import Own


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("7", "7"),
        ('"7"', '"7"'),
        ("call", '"call"'),
        ("true", '"true"'),
        ("1.5", '"1.5"'),
        ('{"a":1}', '"{\\"a\\":1}"'),
    ],
)
def test_an_id_is_an_integer_or_a_text(given: str, said: str) -> None:
    """JSON-RPC 2.0, id: what can be either is in quotes where it is a text."""
    assert Own(values={"id": given}).id_json("id") == said
    assert Own(values={}).id_json("id") is None


def test_values_are_what_they_are_or_are_refused() -> None:
    """Ours: a refusal names the value, and what was expected."""
    own = Own(values={"flag": "true", "word": "b", "many": "7", "names": "one, two,", "text": "x"})
    assert own.flag("flag", without=False)
    assert not own.flag("other", without=False)
    assert own.flag("other", without=True)
    assert own.word("word", "a", ("a", "b")) == "b"
    assert (own.number("many"), own.number("other")) == (7, None)
    assert (own.names("names"), own.names("other")) == ({"one", "two"}, None)
    assert (own.text("text", "y"), own.text("other", "y")) == ("x", "y")
    with pytest.raises(PlanError, match="'many' is one of true, false, not '7'"):
        own.flag("many", without=False)
    for wrong in ("-1", "x", "9" * 20, "²"):
        with pytest.raises(PlanError, match="'many' is a number"):
            Own(values={"many": wrong}).number("many")
