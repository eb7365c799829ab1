"""Scripts as text: what holds for all texts."""

import re

from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.models.scripted.notation import escaped, parse_script
from treadle.adapters.models.scripted.steps import Said, ScriptedTurn, turn
from treadle.errors import PlanError

ANY_TEXT = st.text(st.characters(codec=None), min_size=1, max_size=20)
LINES = st.lists(
    st.sampled_from(
        [
            "text: a",
            "text: |",
            "call: f {}",
            "call:",
            "more: 0 x",
            "eof",
            "hang: x",
            "---",
            "--- again",
            "usage: 1 1",
            "",
        ]
    )
    | ANY_TEXT
    | st.builds("{}: {}".format, st.sampled_from(["text", "call", "more", "usage", "error", "payload"]), ANY_TEXT),
    max_size=8,
).map("\n".join)


@given(pieces=st.lists(ANY_TEXT, min_size=1, max_size=4))
def test_escaped_pieces_are_read_as_they_were(pieces: list[str]) -> None:
    """Any text can be written into a script, cut anywhere (ours)."""
    line = "text: " + "|".join(escaped(piece) for piece in pieces)
    assert parse_script(line) == (turn(Said(pieces=tuple(pieces))),)


@given(script=LINES)
def test_every_text_is_a_script_or_is_refused_by_line(script: str) -> None:
    """Nothing else is raised, and every refusal can be found (ours)."""
    try:
        turns = parse_script(script)
    except PlanError as error:
        lines = script.count("\n") + 1
        for problem in error.problems:
            match = re.match(r"script(?: line|, turn of line) (\d+): .", problem)
            assert match is not None
            assert 1 <= int(match[1]) <= lines
    else:
        assert turns
        assert all(isinstance(one, ScriptedTurn) for one in turns)
