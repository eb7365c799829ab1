"""Event streams: bytes to events, and texts to the bytes of an event.

In: bytes cut anywhere, or one event's data, name and id. Out: whole events, or bytes. Knows nothing of JSON, of HTTP or
of when to reconnect. The events do not depend on where the bytes were cut, and the work is linear in them.

Source: the HTML standard, "Server-sent events".
"""

from dataclasses import dataclass

from treadle.errors import StateError

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""Default limit of one event: its lines without their line ends. A comment line counts alone."""

_MAX_RETRY_DIGITS = 12
_BOM = b"\xef\xbb\xbf"
_LINE_SEPARATORS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_Found = tuple[bytes, str, str]


class FrameTooLargeError(ValueError):
    """One event is longer than the reader was told to hold. What follows it cannot be read."""

    def __init__(self, *, limit_bytes: int, seen_bytes: int) -> None:
        super().__init__(f"event of at most {limit_bytes} bytes, not of {seen_bytes} or more")
        self.limit_bytes = limit_bytes
        self.seen_bytes = seen_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SseEvent:
    """One event as it was sent."""

    data: bytes
    """The data lines, joined by LF. Not checked to be UTF-8: a typed decoder reads it as it is."""
    event: str = "message"
    event_id: str = ""
    """The last id sent, by this event or one before it; "" when there was none."""

    @property
    def text(self) -> str:
        """The data as text; U+FFFD stands for what is no UTF-8."""
        return self.data.decode("utf-8", "replace")


class SseParser:
    """Read one event stream, cut anywhere. Feed it all, then call `finish` once.

    Shape:   only CR, LF and CRLF end a line; a blank line ends an event; an event without data is none.
    Raises:
        FrameTooLargeError: From any method that is given bytes, and from `finish`; never before the events that stood
            in front of the long one were given out. The parser reads nothing after it.
        StateError: Bytes after `finish`.
    """

    __slots__ = (
        "_at_start",
        "_between",
        "_data",
        "_event",
        "_event_id",
        "_failure",
        "_finished",
        "_held_bytes",
        "_limit_bytes",
        "_line",
        "_retry_ms",
        "_skip_lf",
    )

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        if max_event_bytes < 1:
            raise ValueError(f"max_event_bytes must be 1 or more, not {max_event_bytes!r}")
        self._limit_bytes = max_event_bytes
        self._between = False  # nothing is held, so a read of whole plain events need not be taken apart by line
        self._at_start = True  # a byte order mark may still come
        self._skip_lf = False  # the read ended in CR: an LF next belongs to it
        self._line = bytearray()
        self._data: list[bytes] = []
        self._event = ""
        self._event_id = ""
        self._retry_ms: int | None = None
        self._held_bytes = 0
        self._failure: FrameTooLargeError | None = None
        self._finished = False

    @property
    def last_event_id(self) -> str:
        """The id a reader would come back with."""
        return self._event_id

    @property
    def retry_ms(self) -> int | None:
        """How long the stream asks a reader to wait before it comes back; None if it did not say."""
        return self._retry_ms

    @property
    def unfinished(self) -> SseEvent | None:
        """What the bytes so far have begun and not ended, None if nothing. It is no event: the standard drops it."""
        data = list(self._data)
        name, value = _field(bytes(self._line))
        if name == b"data":
            data.append(value)
        if not data:
            return None
        return SseEvent(data=b"\n".join(data), event=self._event or "message", event_id=self._event_id)

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Read on; give the events that end within these bytes."""
        found = self._read(chunk)
        return [SseEvent(data=data, event=event, event_id=event_id) for data, event, event_id in found]

    def data_payloads(self, chunk: bytes) -> list[bytes]:
        """Read on; give the data of the events that end within these bytes, for callers who need no name and no id.

        Same as `feed`, and may be mixed with it. A read that holds whole events of one `data: ` line each, as model
        providers send them, is only split.
        """
        if self._between and chunk.endswith(b"\n\n") and chunk.startswith(b"data: ") and b"\r" not in chunk:
            size = len(chunk)
            if size <= self._limit_bytes:
                if chunk.find(b"\n") == size - 2:
                    return [chunk[6:-2]]
                # k events of one line each hold 2 k line ends, and k - 1 times a blank line with a data line after it.
                blocks = chunk[6:-2].split(b"\n\ndata: ")
                if chunk.count(b"\n") == 2 * len(blocks):
                    return blocks
        return [data for data, _, _ in self._read(chunk)]

    def finish(self) -> None:
        """Say that no more bytes come. What is unfinished stays readable and is no event."""
        self._finished = True
        self._between = False
        self._stop_if_failed()

    def _read(self, chunk: bytes) -> list[_Found]:
        self._stop_if_failed()
        if self._finished:
            raise StateError("bytes for an event stream that is finished", state="finished")
        found: list[_Found] = []
        if self._at_start:
            chunk = self._without_mark(chunk)
        if self._skip_lf and chunk:
            self._skip_lf = False
            if chunk[0] == 0x0A:
                chunk = chunk[1:]
        if chunk:
            self._read_lines(chunk, found)
        if not found:
            self._stop_if_failed()
        return found

    def _stop_if_failed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _without_mark(self, chunk: bytes) -> bytes:
        """Take off one byte order mark; hold back what can still become one."""
        head = bytes(self._line) + chunk
        self._line.clear()
        if len(head) < len(_BOM) and _BOM.startswith(head):
            self._line += head
            return b""
        self._at_start = False
        return head.removeprefix(_BOM)

    def _read_lines(self, chunk: bytes, found: list[_Found]) -> None:
        lines = chunk.splitlines()  # of bytes, at CR, LF and CRLF alone
        last = chunk[-1]
        rest = b"" if last in b"\r\n" else lines.pop()
        if lines and self._line:
            self._line += lines[0]
            lines[0] = bytes(self._line)
            self._line.clear()
        for line in lines:
            if not self._take_line(line, found):
                return
        self._skip_lf = last == 0x0D
        self._line += rest
        self._between = not (self._line or self._held_bytes or self._skip_lf)
        self._fits(len(self._line))

    def _take_line(self, line: bytes, found: list[_Found]) -> bool:
        if not line:
            if self._data:
                found.append((b"\n".join(self._data), self._event or "message", self._event_id))
                self._data.clear()
            self._event = ""
            self._held_bytes = 0
            return True
        if not self._fits(len(line)):
            return False
        if line.startswith(b"data: "):
            self._data.append(line[6:])
        elif line.startswith(b":"):
            return True
        else:
            self._take_field(*_field(line))
        self._held_bytes += len(line)
        return True

    def _take_field(self, name: bytes, value: bytes) -> None:
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._event_id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit() and len(value) <= _MAX_RETRY_DIGITS:
            self._retry_ms = int(value)

    def _fits(self, line_bytes: int) -> bool:
        """Whether the event with this line is short enough; if not, the parser has failed."""
        seen_bytes = self._held_bytes + line_bytes
        if seen_bytes > self._limit_bytes:
            self._failure = FrameTooLargeError(limit_bytes=self._limit_bytes, seen_bytes=seen_bytes)
            self._between = False
        return self._failure is None


def encode_event(
    data: str, *, event: str | None = None, event_id: str | None = None, retry_ms: int | None = None
) -> bytes:
    """One event as bytes: LF line ends, a blank line last, a data line for each line of `data`.

    A line end in `data`, of whichever kind, comes back as LF. Half a surrogate pair becomes U+FFFD.

    Raises:
        ValueError: A line end in the name or the id, a NUL in the id, or a negative wait: it would be read otherwise.
    """
    lines = []
    if event is not None:
        lines.append(f"event: {_one_line('event name', event)}\n")
    if event_id is not None:
        if "\0" in event_id:
            raise ValueError(f"event id without NUL, not {event_id!r}")
        lines.append(f"id: {_one_line('event id', event_id)}\n")
    if retry_ms is not None:
        if retry_ms < 0:
            raise ValueError(f"retry_ms of 0 or more, not {retry_ms!r}")
        lines.append(f"retry: {retry_ms}\n")
    if "\n" in data or "\r" in data:
        data = data.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\ndata: ")
    lines.append(f"data: {data}\n\n")
    return _utf8("".join(lines))


def encode_comment(text: str = "ping") -> bytes:
    """A comment and a blank line: readers see nothing, idle limits on the way see traffic.

    Raises:
        ValueError: A line end in the text: the rest of it would be read as fields.
    """
    return _utf8(f": {_one_line('comment', text)}\n\n")


def escape_separators(json_text: str) -> str:
    """The same JSON value with U+0085, U+2028 and U+2029 escaped: well-known readers take them raw for line ends.

    Shape:  `json_text` is JSON, where those three can stand in strings only.
    """
    return json_text.translate(_LINE_SEPARATORS)


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.removeprefix(b" ")


def _one_line(what: str, text: str) -> str:
    if "\n" in text or "\r" in text:
        raise ValueError(f"{what} on one line, not {text!r}")
    return text


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
