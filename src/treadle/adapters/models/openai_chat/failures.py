"""The provider's ways of failing, to ours.

In: exceptions of the SDK and its HTTP client, errors inside a stream. Out: `ModelError`s, whose message is ours; the
provider's own words go to `detail`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx2
import openai

from treadle.codec.foreign import json_text, json_value
from treadle.errors import (
    ModelBusyError,
    ModelError,
    ModelGarbledError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from treadle.framing.surrogates import whole_text

PROVIDER: Final = "openai-chat"
MAX_DETAIL_CHARS: Final = 2_000

_BUSY_STATUSES: Final = frozenset({429, 503, 529})
_TIMEOUT_STATUSES: Final = frozenset({408})
# Words in the type or code of an error inside a stream, first match wins. What nobody knows is the provider's fault.
_BUSY_WORDS: Final = ("rate_limit", "ratelimit", "overload", "too_many_requests", "toomanyrequests", "capacity")
_TIMEOUT_WORDS: Final = ("timeout", "timed_out")
_REFUSAL_WORDS: Final = (
    "invalid", "badrequest", "bad_request", "authentication", "permission", "not_found", "notfound", "context_length",
    "unprocessable", "unsupported", "insufficient_quota", "content_policy",
)  # fmt: skip
# Requests that were never sent: asking again sends nothing either.
_OUR_SIDE: Final = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)
_UNREACHED: Final = (httpx2.TimeoutException, httpx2.ConnectError)


def of_sdk(error: openai.OpenAIError) -> ModelError:
    """A request that got no stream."""
    match error:
        case openai.APIStatusError():
            return _of_status(
                error.status_code,
                detail=error.message,
                request_id=error.request_id,
                retry_after_s=retry_after_s(error.response.headers),
            )
        case openai.APIConnectionError():
            return _of_connection(error)
        case _:
            return ModelRefusedError("the request could not be made", provider=PROVIDER, detail=_words(str(error)))


def of_broken_stream(error: httpx2.HTTPError) -> ModelError:
    """A connection that broke after the answer had begun."""
    detail = _words(str(error))
    if isinstance(error, httpx2.TimeoutException):
        return ModelTimeoutError("the provider fell silent in mid answer", provider=PROVIDER, detail=detail)
    if isinstance(error, httpx2.DecodingError):
        return ModelGarbledError("the provider's bytes could not be unpacked", provider=PROVIDER, detail=detail)
    return ModelTruncatedError("the connection broke in mid answer", provider=PROVIDER, detail=detail)


def in_stream(told: Any) -> ModelError:  # noqa: ANN401 (a provider puts anything there)
    """An error that came as an event of a stream with a good status."""
    detail = _words(told if isinstance(told, str) else json_text(json_value(told)))
    if not isinstance(told, Mapping):
        return _unavailable("the provider failed in its stream", detail=detail)
    for name in ("code", "status", "status_code", "type"):
        status = _as_status(told.get(name))
        if status is not None:
            return _of_status(status, detail=detail)
    words = f"{told.get('type')} {told.get('code')}".lower().replace("-", "_")
    if any(word in words for word in _BUSY_WORDS):
        return ModelBusyError("the provider is overloaded, as its stream says", provider=PROVIDER, detail=detail)
    if any(word in words for word in _TIMEOUT_WORDS):
        return ModelTimeoutError("the provider timed out, as its stream says", provider=PROVIDER, detail=detail)
    if any(word in words for word in _REFUSAL_WORDS):
        return ModelRefusedError("the provider refused the request in its stream", provider=PROVIDER, detail=detail)
    return _unavailable("the provider failed in its stream", detail=detail)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """How long the provider asks to be left alone; None where it does not say, or says nonsense.

    Units:  seconds. A date is measured from the response's own `date`, so that no clock is needed.
    """
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            wait_s = float(headers.get(name, "")) * factor
        except ValueError:
            continue
        return wait_s if wait_s >= 0 and math.isfinite(wait_s) else None
    try:
        until, now = (parsedate_to_datetime(headers.get(name, "")) for name in ("retry-after", "date"))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _of_status(
    status: int, *, detail: str, request_id: str | None = None, retry_after_s: float | None = None
) -> ModelError:
    kind: type[ModelError]
    if status in _BUSY_STATUSES:
        kind, words = ModelBusyError, "is overloaded or limits the rate"
    elif status in _TIMEOUT_STATUSES:
        kind, words = ModelTimeoutError, "timed out"
    elif status >= 500:
        kind, words = ModelUnavailableError, "failed"
    else:
        kind, words = ModelRefusedError, "refused the request"
    return kind(
        f"the provider {words} (status {status})",
        provider=PROVIDER,
        status=status,
        request_id=request_id,
        retry_after_s=retry_after_s,
        detail=_words(detail),
    )


def _of_connection(error: openai.APIConnectionError) -> ModelError:
    cause = error.__cause__
    detail = _words(f"{type(cause).__name__}: {cause}" if cause is not None else error.message)
    if isinstance(cause, _OUR_SIDE):
        return ModelRefusedError("the request could not be sent", provider=PROVIDER, detail=detail)
    if isinstance(error, openai.APITimeoutError) or isinstance(cause, _UNREACHED):
        return ModelTimeoutError("the provider could not be reached", provider=PROVIDER, detail=detail)
    return _unavailable("the connection broke before an answer", detail=detail)


def _unavailable(message: str, *, detail: str) -> ModelUnavailableError:
    return ModelUnavailableError(message, provider=PROVIDER, detail=detail)


def _as_status(value: object) -> int | None:
    """An HTTP error status, however it is written."""
    if isinstance(value, str) and value.isdecimal() and len(value) == 3:
        value = int(value)
    return value if type(value) is int and 400 <= value <= 599 else None


def _words(text: str) -> str:
    return whole_text(text[:MAX_DETAIL_CHARS])
