"""Bytes to frames and frames to bytes: what a stream's framing says, nothing of what is framed.

In: bytes as the network cut them, or texts to send. Out: whole frames, or bytes. Knows no protocol, no JSON, no socket.
"""

from treadle.framing.sse import (
    MAX_EVENT_BYTES,
    FrameTooLargeError,
    SseEvent,
    SseParser,
    encode_comment,
    encode_event,
    escape_separators,
)
from treadle.framing.utf8 import Utf8Decoder

__all__ = [
    "MAX_EVENT_BYTES",
    "FrameTooLargeError",
    "SseEvent",
    "SseParser",
    "Utf8Decoder",
    "encode_comment",
    "encode_event",
    "escape_separators",
]
