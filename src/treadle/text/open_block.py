"""The content of one open block, up to its end.

In: text after the opening tag. Out: what follows the end, and the extraction. A block ends at its own closing tag, but
not at one inside a JSON string of content that can still become JSON: then the tag is the end only if what follows
proves not to go on as JSON, or cannot (the passage ends, another filter takes something out, the bound is reached).
Knows nothing of text outside a block.
"""

from __future__ import annotations

from treadle.text.json_prefix import JsonPrefix
from treadle.text.operations import json_start, read_operations
from treadle.text.pieces import Extraction


class OpenBlock:
    """Gather content until the block ends.

    Shape:  at most `limit_chars` of content and one closing tag are kept. `extraction` is what the block comes to:
            unterminated, until it ends.
    """

    __slots__ = (
        "_chunks",
        "_closer",
        "_in_string",
        "_limit_chars",
        "_size",
        "_tail",
        "extraction",
        "looked_at_chars",
        "tag",
    )

    def __init__(self, tag: str, *, limit_chars: int) -> None:
        self.tag = tag
        self.extraction = Extraction(tag=tag, diagnostic="unterminated")
        self.looked_at_chars = 0
        self._closer = f"</{tag}>"
        self._limit_chars = limit_chars
        self._chunks: list[str] = []
        self._size = 0
        self._tail = ""
        self._in_string: _StringEnd | None = None

    def feed(self, text: str) -> str | None:
        """Take content.

        Shape:  None while the block is open; else the text after it.
        """
        if self._in_string is not None:
            return self._follow(self._in_string, text)
        probe = self._tail + text
        at = probe.find(self._closer)
        self.looked_at_chars += len(probe) if at < 0 else at + len(self._closer)
        end = self._size - len(self._tail) + at
        self._chunks.append(text)
        self._size += len(text)
        if at >= 0 and end <= self._limit_chars:
            return self._closed("".join(self._chunks), end)
        if self._size >= self._limit_chars + len(self._closer):
            self.extraction = Extraction(tag=self.tag, diagnostic="too_large")
            return "".join(self._chunks)[self._limit_chars :]
        self._tail = probe[1 - len(self._closer) :]
        return None

    def seam(self) -> str | None:
        """Bear that something was taken out here: no closing tag is made across it, and a doubtful one counts."""
        self._tail = ""
        return None if self._in_string is None else self._give_up(self._in_string)

    def _closed(self, text: str, end: int) -> str | None:
        """Read the content, unless its closing tag stands inside a string that may go on."""
        content = text[:end]
        self.looked_at_chars += end
        extraction = read_operations(self.tag, content)
        if extraction.diagnostic == "not_json":
            json = JsonPrefix()
            start = json_start(content)
            self.looked_at_chars += end
            if json.feed(content, start) == end and json.in_string:
                self._in_string = _StringEnd(json, content, closer=self._closer)
                return self._follow(self._in_string, text[end:])
        self.extraction = extraction
        return text[end + len(self._closer) :]

    def _follow(self, doubt: _StringEnd, text: str) -> str | None:
        before = doubt.looked_at_chars
        end = doubt.feed(text, last=self._limit_chars)
        self.looked_at_chars += doubt.looked_at_chars - before
        if end is None:
            return self._give_up(doubt)
        if end < 0:
            return None
        whole = doubt.content + doubt.after()
        self.extraction = read_operations(self.tag, whole[: end - len(self._closer)])
        return whole[end:]

    def _give_up(self, doubt: _StringEnd) -> str:
        """End the block at its first closing tag after all."""
        self.extraction = Extraction(tag=self.tag, diagnostic="not_json")
        return doubt.after()[len(self._closer) :]


class _StringEnd:
    """What follows a closing tag inside a string, until it is known whether the string goes on."""

    __slots__ = ("_chunks", "_closer", "_json", "_matched", "_seen", "content", "looked_at_chars")

    def __init__(self, json: JsonPrefix, content: str, *, closer: str) -> None:
        self.content = content
        self._json = json
        self._closer = closer
        self._chunks: list[str] = []
        self._seen = len(content)
        self._matched = 0
        self.looked_at_chars = 0

    def after(self) -> str:
        """Join what came, the doubtful tag first."""
        return "".join(self._chunks)

    def feed(self, text: str, *, last: int) -> int | None:
        """Take text.

        Shape:  where a closing tag outside strings ends, counted from the content's beginning; -1 while that is
                open; None where it is not JSON, or no such tag begins at `last` or before.
        """
        self._chunks.append(text)
        at = 0
        while at < len(text):
            if self._matched == 0:
                start, at = at, self._json.feed(text, at)
                self.looked_at_chars += at - start
                if at == len(text):
                    break
                if self._json.in_string or self._seen + at > last:
                    return None
            if text[at] != self._closer[self._matched]:
                return None
            at += 1
            self.looked_at_chars += 1
            self._matched += 1
            if self._matched == len(self._closer):
                return self._seen + at
        self._seen += len(text)
        return -1 if self._matched or self._seen <= last else None
