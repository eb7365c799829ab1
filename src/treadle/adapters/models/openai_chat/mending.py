"""Speech whose characters a provider cut over two events, put together.

In: texts as they stood in the events, with halves of surrogate pairs or with raw bytes that are no UTF-8. Out: whole
characters, one U+FFFD for what is none. Knows nothing of chunks.
"""

from __future__ import annotations

import re
from typing import Final

from treadle.framing.surrogates import whole_text
from treadle.framing.utf8 import Utf8Decoder

_NO_BYTE: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")


class Mender:
    """Hold what cannot be read yet, and nothing else.

    Shape:  `feed` and `flush` give "" where nothing is decided.
    """

    __slots__ = ("_decoder", "_half", "_has_bytes")

    def __init__(self) -> None:
        self._decoder = Utf8Decoder()
        self._has_bytes = False
        self._half = ""

    @property
    def holds(self) -> bool:
        """Whether the next text may change what is held."""
        return self._has_bytes or bool(self._half)

    def feed(self, text: str) -> str:
        """Take in a text that may begin or end with half a surrogate pair."""
        text = self._bytes_over() + self._half + text
        self._half = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return whole_text(text[:-1] if self._half else text)

    def feed_raw(self, text: str) -> str:
        """Take in a text in which U+DC80 to U+DCFF stand for bytes."""
        before = "\ufffd" if self._half else ""
        self._half = ""
        self._has_bytes = True
        return before + self._decoder.feed(_NO_BYTE.sub("\ufffd", text).encode("utf-8", "surrogateescape"))

    def flush(self) -> str:
        """Nothing more comes: U+FFFD for what is held."""
        half, self._half = self._half, ""
        return self._bytes_over() + ("\ufffd" if half else "")

    def _bytes_over(self) -> str:
        if not self._has_bytes:
            return ""
        self._has_bytes = False
        return self._decoder.flush()
