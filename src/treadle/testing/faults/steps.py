"""What a fault server can do, one value a thing.

Speech is what a provider says; a dialect gives it bytes. Acts are what happens to the connection; the server carries
them out. Knows no wire format and no socket.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal

from treadle.errors import PlanError


class Absent(Enum):
    """The one value of a field that is left out of a chunk, as against null or empty."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

LEAK_MARK: Final = "detail-for-operators-only"
"""Stands in every error text a fault server sends; nothing a client is shown may hold it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Token counts; None is a count the provider does not give."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cache_read_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleOnly:
    """The opening chunk: a role and no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One delta of the answer."""

    text: str
    usage: Counts | None = None
    """Counts on the same chunk, whether the request asked for them or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Think:
    """One delta of reasoning."""

    text: str
    key: str = "reasoning_content"
    """The field it stands in; providers differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """One piece of one tool call. Every part can be left out, null or empty."""

    index: int | Absent | None = ABSENT
    call_id: str | Absent | None = ABSENT
    name: str | Absent | None = ABSENT
    arguments: str | Absent | None = ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """One delta with pieces of tool calls."""

    fragments: tuple[Fragment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One delta whose fields are given as they stand on the wire."""

    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One chunk whose own fields are given as they stand on the wire, over the dialect's envelope."""

    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """A chunk with counts; sent only if the request asks for usage, as the provider does."""

    counts: Counts
    choices: Literal["none", "empty_delta"] = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The chunk that says why the turn ended."""

    reason: str
    usage: Counts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorChunk:
    """An error inside a stream that began with status 200."""

    kind: str = "server_error"
    code: str | None = None
    message: str = f"upstream failed: {LEAK_MARK}"
    shape: Literal["object", "string", "beside_choices"] = "object"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The dialect's end marker."""


Speech = RoleOnly | Text | Think | Calls | Delta | Chunk | Usage | Finish | ErrorChunk | Done


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A whole answer that is an HTTP error. Stands alone in its reply."""

    code: int
    kind: str = "server_error"
    message: str = f"refused: {LEAK_MARK}"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    """None: the dialect's error body."""
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Send status line and headers now. Without it they go with the first bytes of the body."""

    content_type: str = "text/event-stream; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Bytes put into the body as they are."""

    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A heartbeat."""

    text: str = "ping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Eof:
    """The connection ends here: with HTTP's own end of body, or in the middle of it."""

    body_ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """The connection is torn down (RST)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """Nothing is sent until the server is told to go on, or the caller leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOpen:
    """All has been said, and the body is not ended until the server is told to, or the caller leaves."""


Act = Status | Head | Raw | Comment | Eof | Reset | Stall | KeepOpen
Step = Speech | Act


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to one request: steps in order, and how their bytes go out."""

    steps: tuple[Step, ...]
    write_bytes: int | None = None
    """Bytes a write, across events; None: one write a step; 0: one write for all."""
    line_end: bytes = b"\n"
    after_colon: bytes = b" "

    def __post_init__(self) -> None:
        """Refuse what no server could do."""
        problems = []
        if len(self.steps) > 1 and any(isinstance(step, Status) for step in self.steps):
            problems.append("a status stands alone in its reply")
        if any(isinstance(step, Eof | Reset) for step in self.steps[:-1]):
            problems.append("nothing follows the end of a connection")
        if any(isinstance(step, KeepOpen) for step in self.steps[:-1]):
            problems.append("nothing follows a body that is kept open")
        if self.write_bytes is not None and self.write_bytes < 0:
            problems.append(f"write_bytes of 0 or more, not {self.write_bytes!r}")
        if problems:
            raise PlanError(tuple(problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the model says in one round. The nth request for it gets the nth reply; after the last comes the first."""

    replies: tuple[Reply, ...]

    def __post_init__(self) -> None:
        """Refuse a turn that answers nothing."""
        if not self.replies:
            raise PlanError(("a turn has one reply or more",))
