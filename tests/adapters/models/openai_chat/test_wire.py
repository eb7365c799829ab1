"""The typed reading of chunks, one fact a test."""

import pytest

from treadle.adapters.models.openai_chat.wire import (
    CallFunction,
    CallPiece,
    Choice,
    Chunk,
    Delta,
    Usage,
    decode_chunk,
    decode_leniently,
)


def _delta(fields: str) -> Delta | None:
    choices = decode_chunk(b'{"choices":[{"delta":{%s}}]}' % fields.encode()).choices
    return choices[0].delta if choices else None


def test_only_the_fields_that_matter_are_kept() -> None:
    """The rest is skipped unread, whatever it holds (ours)."""
    assert _delta('"role":"assistant","audio":{"id":[1]},"content":"a"') == Delta(content="a")
    assert _delta('"tool_calls":[{"index":1,"id":"A","type":"function","function":{"name":"f","arguments":"{"}}]') == (
        Delta(tool_calls=[CallPiece(index=1, id="A", function=CallFunction(name="f", arguments="{"))])
    )


def test_null_is_as_good_as_missing() -> None:
    """Servers differ in what they leave out (field report)."""
    assert decode_chunk(b'{"choices":null,"usage":null,"error":null}') == Chunk()
    assert decode_chunk(b'{"choices":[{"delta":null,"finish_reason":null}]}') == decode_chunk(b'{"choices":[{}]}')
    assert decode_chunk(b'{"usage":{"prompt_tokens":null,"prompt_tokens_details":null}}') == (
        decode_chunk(b'{"usage":{}}')
    )


def test_what_strict_json_refuses_is_read_where_it_can_be() -> None:
    """Half a surrogate pair, bytes that are no UTF-8, NaN beside what matters (field report)."""
    said = Chunk(choices=[Choice(delta=Delta(content="\ud83d"))])
    assert decode_leniently(b'{"choices":[{"delta":{"content":"\\ud83d"}}]}') == (said, False)
    raw = Chunk(choices=[Choice(delta=Delta(content="\udce6"))])
    assert decode_leniently(b'{"choices":[{"delta":{"content":"\xe6"},"logprobs":NaN}]}') == (raw, True)


def test_fields_of_odd_types_are_read_where_they_can_be() -> None:
    """Each by itself; null is no chunk and no fault (field report)."""
    chunk, raw = decode_leniently(b'{"usage":{"prompt_tokens":-1,"total_tokens":"7"},"choices":[null]}')
    assert (chunk, raw) == (Chunk(choices=[], usage=Usage(total_tokens=7)), False)
    assert decode_leniently(b"null") == (None, False)


@pytest.mark.parametrize(
    "data",
    [b"{not json", b'{"choices":5}', b'{"choices":[1]}', b'"text"', b"5", b"[]", b"[" * 100_000],
)
def test_what_is_no_chunk_is_refused(data: bytes) -> None:
    """With one kind of exception, nesting without end included (ours)."""
    with pytest.raises(ValueError):  # noqa: PT011 (any kind of it, by the contract)
        decode_leniently(data)
