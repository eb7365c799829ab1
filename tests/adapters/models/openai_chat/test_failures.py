"""The provider's ways of failing, one table a test."""

import httpx2
import openai
import pytest

from treadle.adapters.models.openai_chat.failures import in_stream, of_broken_stream, of_sdk, retry_after_s
from treadle.errors import (
    ModelBusyError,
    ModelError,
    ModelGarbledError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)

SECRET = "words of the provider"
_REQUEST = httpx2.Request("POST", "http://model.test/v1/chat/completions")


def _status_error(status: int, headers: dict[str, str]) -> openai.APIStatusError:
    response = httpx2.Response(status, headers=headers, request=_REQUEST)
    return openai.APIStatusError(SECRET, response=response, body={"message": SECRET})


def _connection_error(cause: Exception | None) -> openai.APIConnectionError:
    error = openai.APIConnectionError(request=_REQUEST)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ModelRefusedError),
        (401, ModelRefusedError),
        (403, ModelRefusedError),
        (404, ModelRefusedError),
        (408, ModelTimeoutError),
        (409, ModelRefusedError),
        (413, ModelRefusedError),
        (422, ModelRefusedError),
        (429, ModelBusyError),
        (500, ModelUnavailableError),
        (502, ModelUnavailableError),
        (503, ModelBusyError),
        (504, ModelUnavailableError),
        (529, ModelBusyError),
    ],
)
def test_an_http_status_becomes_one_kind_of_error(status: int, kind: type[ModelError]) -> None:
    """The provider's words stay in `detail` (ours)."""
    error = of_sdk(_status_error(status, {"x-request-id": "req_1", "retry-after": "2"}))
    assert type(error) is kind
    assert (error.status, error.request_id, error.retry_after_s) == (status, "req_1", 2.0)
    assert SECRET not in str(error)
    assert SECRET in (error.detail or "")


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (httpx2.ConnectError(SECRET), ModelTimeoutError),
        (httpx2.ConnectTimeout(SECRET), ModelTimeoutError),
        (httpx2.ReadError(SECRET), ModelUnavailableError),
        (httpx2.RemoteProtocolError(SECRET), ModelUnavailableError),
        (httpx2.UnsupportedProtocol(SECRET), ModelRefusedError),
        (httpx2.LocalProtocolError(SECRET), ModelRefusedError),
        (None, ModelUnavailableError),
    ],
)
def test_a_request_without_an_answer_tells_whether_asking_again_can_help(
    cause: Exception | None, kind: type[ModelError]
) -> None:
    """What was never sent is not sent by asking again (ours)."""
    error = of_sdk(_connection_error(cause))
    assert type(error) is kind
    assert SECRET not in str(error)


def test_other_errors_of_the_sdk_are_refusals() -> None:
    """A time-out of its own is one of time (ours)."""
    assert type(of_sdk(openai.APITimeoutError(request=_REQUEST))) is ModelTimeoutError
    assert type(of_sdk(openai.OpenAIError(SECRET))) is ModelRefusedError


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx2.ReadError(SECRET), ModelTruncatedError),
        (httpx2.RemoteProtocolError(SECRET), ModelTruncatedError),
        (httpx2.ReadTimeout(SECRET), ModelTimeoutError),
        (httpx2.DecodingError(SECRET), ModelGarbledError),
    ],
)
def test_a_connection_that_breaks_in_mid_answer(error: httpx2.HTTPError, kind: type[ModelError]) -> None:
    """It is told from a turn that ended (ours)."""
    broken = of_broken_stream(error)
    assert type(broken) is kind
    assert SECRET not in str(broken)


@pytest.mark.requirement("BR-193")
@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"message": SECRET, "type": "overloaded_error"}, ModelBusyError),
        ({"message": SECRET, "type": None, "code": "rate_limit_exceeded"}, ModelBusyError),
        ({"message": SECRET, "code": 429}, ModelBusyError),
        ({"message": SECRET, "code": "503"}, ModelBusyError),
        ({"message": SECRET, "status": 500}, ModelUnavailableError),
        ({"message": SECRET, "code": 400, "type": "BadRequestError"}, ModelRefusedError),
        ({"message": SECRET, "type": "invalid_request_error", "code": "context_length_exceeded"}, ModelRefusedError),
        ({"message": SECRET, "type": "timeout"}, ModelTimeoutError),
        ({"message": SECRET, "type": "server_error", "code": None}, ModelUnavailableError),
        ({"message": SECRET, "code": True}, ModelUnavailableError),
        ({"message": SECRET, "code": 1400}, ModelUnavailableError),
        (SECRET, ModelUnavailableError),
        ([SECRET], ModelUnavailableError),
    ],
)
def test_an_error_inside_a_good_status_has_the_kind_it_tells(told: object, kind: type[ModelError]) -> None:
    """An overload is told from a bad request; what nobody knows is the provider's own fault (field report)."""
    error = in_stream(told)
    assert type(error) is kind
    assert SECRET not in str(error)
    assert SECRET in (error.detail or "")


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 10.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}, None),
    ],
)
def test_the_wait_a_provider_asks_for(headers: dict[str, str], wait_s: float | None) -> None:
    """In milliseconds, seconds or as a date (RFC 9110)."""
    assert retry_after_s(headers) == wait_s


def test_a_long_text_of_a_provider_is_cut() -> None:
    """An error page is not worth a megabyte in each log (ours)."""
    assert len(in_stream("x" * 10_000).detail or "") == 2_000
