"""Text with halves of surrogate pairs to text that can be encoded.

In: text that a source cut in the middle of an escape, or never made whole. Out: the same text, its pairs joined, one
U+FFFD for each half that stands alone. Knows nothing of where the text comes from, and holds nothing.

Source: the Unicode Standard, "Surrogates Area".
"""


def whole_text(text: str) -> str:
    """The text with the halves of surrogate pairs joined, and U+FFFD for each half that stands alone."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
