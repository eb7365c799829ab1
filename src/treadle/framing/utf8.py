"""Bytes of text, cut anywhere, to text.

In: UTF-8 in pieces of any size. Out: the same text as uncut, one U+FFFD for what is no UTF-8. Knows nothing of where
the bytes come from: a model that speaks single bytes, a process, a socket.

Source: the Unicode Standard, "U+FFFD Substitution of Maximal Subparts".
"""

import codecs

_new_decoder = codecs.getincrementaldecoder("utf-8")


class Utf8Decoder:
    """Hold an unfinished character until it is whole, and nothing else.

    Shape:  three bytes at most are held; `feed` of nothing new gives "".
    """

    __slots__ = ("_decoder",)

    def __init__(self) -> None:
        self._decoder = _new_decoder("replace")

    def feed(self, data: bytes) -> str:
        """Give the text that is decided by now; bytes that can begin no character are replaced at once."""
        return self._decoder.decode(data)

    def flush(self) -> str:
        """Give what the end leaves over: "" or one U+FFFD. The decoder is as new afterwards."""
        rest = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return rest
