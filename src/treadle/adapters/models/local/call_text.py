"""The one text of a forced call, to the name of the tool and its arguments, piece by piece as it grows.

The text is `{"tool": NAME, "arguments": OBJECT}` in the spelling of the grammar made here; what stands around the
object is taken off wherever the text is cut. Knows nothing of what the arguments mean.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from treadle.adapters.models.local.gbnf import Literal, choice, grammar_text, sequence
from treadle.adapters.models.local.schema_grammar import SchemaGrammar
from treadle.values.tools import ToolSpec

_END = "}"


def call_grammar(tools: Sequence[ToolSpec]) -> tuple[str, tuple[str, ...]]:
    """The grammar of one call of one of the tools, and what of their schemas it cannot say.

    Shape:  with any problem the grammar is the empty text.
    """
    options, problems = [], []
    for tool in tools:
        arguments = SchemaGrammar(tool.parameters)
        options.append(sequence(Literal(_head(tool.name)), arguments.node(), Literal(_END)))
        problems += [f"tool {tool.name!r}: {problem}" for problem in arguments.problems]
    if problems or not options:
        return "", tuple(problems)
    return grammar_text(choice(*options)), ()


class CallText:
    """Reads the text of one call. State: what stands before the name is known, then one held character.

    The last closing brace so far is held back: only the end of the text tells whether it is the one around the call.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._heads = {_head(name): name for name in names}
        self._unread = ""
        self._arguments: list[str] = []
        self.name: str | None = None

    @property
    def arguments(self) -> str:
        """The argument text so far, without what is held."""
        return "".join(self._arguments)

    def feed(self, text: str) -> str:
        """Take in the next piece. Gives the argument text that it lets go, which may be none."""
        text, self._unread = self._unread + text, ""
        if self.name is None:
            head = next((head for head in self._heads if text.startswith(head)), None)
            if head is None:
                self._unread = text
                return ""
            self.name, text = self._heads[head], text[len(head) :]
        if text.endswith(_END):
            text, self._unread = text[:-1], _END
        if text:
            self._arguments.append(text)
        return text

    def end(self, *, cut: bool) -> str:
        """The text is over: gives what was held, if it belongs to the arguments.

        Shape:  of a whole text the held brace is the one around the call; of a cut one it is the arguments' own.
        """
        held, self._unread = self._unread, ""
        if not cut or self.name is None:
            return ""
        if held:
            self._arguments.append(held)
        return held


def _head(name: str) -> str:
    return f'{{"tool": {json.dumps(name, ensure_ascii=False)}, "arguments": '
