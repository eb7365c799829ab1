"""What a demo says, to people and to scripts."""

from __future__ import annotations

import json

from treadle.cli.demos.outcome import Teller


def test_people_are_told_words_and_scripts_facts() -> None:
    """docs/demos.md: one line a finding; with `--json` an object a line, and nothing that is for people alone."""
    said: list[str] = []
    for for_scripts in (False, True):
        teller = Teller(demo="tab", write=said.append, for_scripts=for_scripts)
        teller.tell("only words")
        teller.tell("left at 3\x1b[31m", left_at=3)
    assert said[:2] == ["only words\n", "left at 3\\x1b[31m\n"]
    assert [json.loads(line) for line in said[2:]] == [{"demo": "tab", "left_at": 3}]
