"""Where a stream of chat completions ends."""

from __future__ import annotations

from tests.adapters.models.openai_chat.test_stream import DONE, _delta, _finish
from treadle.adapters.models.openai_chat.stream import ChatStream
from treadle.values.model import TEXT


def test_a_finish_reason_is_told_from_the_end() -> None:
    """After it the reader need not wait long (ours)."""
    stream = ChatStream()
    assert (stream.feed(_delta(content="a")), stream.has_finished) == ([(TEXT, "a")], False)
    assert (stream.feed(_finish("stop")), stream.has_finished, stream.is_over) == ([], True, False)
    stream.feed(DONE)
    assert (stream.has_finished, stream.is_over) == (True, True)
