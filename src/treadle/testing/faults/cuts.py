"""Bytes of a body to the writes they go out in.

In: bytes, a step at a time. Out: the same bytes, cut or joined. Pure: knows no socket.
"""


class Cutter:
    """Cut a body into writes.

    Args:
        write_bytes: Bytes a write, across steps; None: one write a step; 0: one write for all.
    """

    __slots__ = ("_held", "_write_bytes")

    def __init__(self, write_bytes: int | None) -> None:
        self._write_bytes = write_bytes
        self._held = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take the bytes of a step; give the writes that are full by now."""
        size = self._write_bytes
        if size is None:
            return [data] if data else []
        self._held += data
        if not size:
            return []
        whole = len(self._held) - len(self._held) % size
        pieces = [self._held[at : at + size] for at in range(0, whole, size)]
        self._held = self._held[whole:]
        return pieces

    def flush(self) -> list[bytes]:
        """Give what is held: before a pause, and at the end."""
        held, self._held = self._held, b""
        return [held] if held else []
