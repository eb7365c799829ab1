"""What a request asks to be answered with: the form of a stream, the place it begins after, and how far it goes.

In: headers and query. Out: values, or a refusal that names the parameter. Knows nothing of runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from treadle.errors import BadRequestError
from treadle.projections.plain.wire import Integers
from treadle.runtime.watching import Unit
from treadle.server.access.said_headers import values_of
from treadle.server.delivery import NDJSON, SSE, PlainForm
from treadle.values.runs import RunStatus

JSON: Final = "application/json"
FORMS: Final[Mapping[str, PlainForm]] = {form.media_type: form for form in (SSE, NDJSON)}
MAX_NAME_CHARS: Final = 256
"""Of a name that a client gives: of a thread, of a start, of an agent."""

Word = TypeVar("Word", bound=StrEnum)


def stream_form(connection: HTTPConnection) -> PlainForm:
    """The form of a stream; an event stream where the client takes anything.

    Raises:
        HTTPException: 406, it takes neither form.
    """
    wanted = _wanted(connection, (*FORMS,))
    if wanted is None:
        raise HTTPException(status_code=406)
    return FORMS[wanted]


def form_or_json(connection: HTTPConnection) -> PlainForm | None:
    """The form of a stream where the client asks for one by name; None: it is answered with JSON."""
    return FORMS.get(_wanted(connection, (JSON, *FORMS)) or JSON)


def cursor_of(connection: HTTPConnection) -> str | None:
    """The cursor that the client stands on. A browser that comes back repeats its address, so the header is newer.

    Raises:
        BadRequestError: `after` stands there more than once.
    """
    return connection.headers.get("last-event-id") or one_of(connection, "after")


def unit_of(connection: HTTPConnection) -> Unit:
    """How far the client reads: to the end of the segment, unless it says otherwise.

    Raises:
        BadRequestError: `follow` says something else.
    """
    return word_of(connection, "follow", Unit.SEGMENT)


def integers_of(connection: HTTPConnection) -> Integers:
    """How the client takes large integers.

    Raises:
        BadRequestError: `integers` says something else.
    """
    return word_of(connection, "integers", Integers.EXACT)


def word_of(connection: HTTPConnection, name: str, without: Word) -> Word:
    """One word of a closed set from the query.

    Raises:
        BadRequestError: It is none of them.
    """
    given = one_of(connection, name)
    return without if given is None else chosen(given, type(without), f"?{name}")


def chosen(given: str, words: type[Word], pointer: str) -> Word:
    """One word of a closed set.

    Args:
        pointer: Where it stands: `/name` in a body, `?name` in a query.
    Raises:
        BadRequestError: It is none of them.
    """
    try:
        return words(given)
    except ValueError:
        said = f"{pointer[1:]!r} is one of {', '.join(words)}, came {given[:40]!r}"
        raise BadRequestError(said, pointer=pointer) from None


def state_of(connection: HTTPConnection) -> RunStatus | None:
    """The state in which runs are looked for; None: in any.

    Raises:
        BadRequestError: `state` is none.
    """
    given = one_of(connection, "state")
    return None if given is None else chosen(given, RunStatus, "?state")


def count_of(connection: HTTPConnection, name: str, *, without: int, most: int) -> int:
    """A number of things from the query, at least one.

    Raises:
        BadRequestError: It is none, or too large.
    """
    given = one_of(connection, name)
    if given is None:
        return without
    if not (given.isascii() and given.isdecimal() and len(given) <= len(str(most)) and 1 <= int(given) <= most):
        raise BadRequestError(f"{name!r} is a number from 1 to {most}, came {given[:40]!r}", pointer=f"?{name}")
    return int(given)


def flag_of(connection: HTTPConnection, name: str) -> bool:
    """A yes or no from the query; no where it is not there.

    Raises:
        BadRequestError: It is neither.
    """
    given = one_of(connection, name)
    if given not in (None, "true", "false"):
        raise BadRequestError(f"{name!r} is true or false, came {given[:40]!r}", pointer=f"?{name}")
    return given == "true"


def one_of(connection: HTTPConnection, name: str) -> str | None:
    """A parameter of the query; None where it is not there.

    Raises:
        BadRequestError: It is there more than once.
    """
    if not connection.scope["query_string"]:
        return None
    found = connection.query_params.getlist(name)
    if len(found) > 1:
        raise BadRequestError(f"expected one {name!r} in the query, came {len(found)}", pointer=f"?{name}")
    return found[0] if found else None


def _wanted(connection: HTTPConnection, offered: tuple[str, ...]) -> str | None:
    """Which of some media types a client takes most gladly; the first where it does not care."""
    return _best(",".join(values_of(connection.scope, b"accept")) or "*/*", offered)


@lru_cache(maxsize=256)
def _best(accepted: str, offered: tuple[str, ...]) -> str | None:
    best, most = None, 0.0
    ranges = [_range(part) for part in accepted.split(",") if part.strip()]
    for kind in offered:
        gladly = _gladness(kind, ranges)
        if gladly > most:
            best, most = kind, gladly
    return best


def _gladness(kind: str, ranges: list[tuple[str, float]]) -> float:
    """The weight that the closest range gives a media type."""
    weights = dict(reversed(ranges))
    return weights.get(kind, weights.get(f"{kind.partition('/')[0]}/*", weights.get("*/*", 0.0)))


def _range(text: str) -> tuple[str, float]:
    kind, *parameters = (part.strip().lower() for part in text.split(";"))
    weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
    try:
        return kind, min(1.0, max(0.0, float(weight)))
    except ValueError:
        return kind, 0.0
