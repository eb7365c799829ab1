"""What a client is told of an exception."""

from __future__ import annotations

import inspect
import json
import logging
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException

from tests.server.access.connections import asked, scope_of
from treadle import errors
from treadle.server.access.failures import MAX_MESSAGE_CHARS, ROWS, Refusal, refusal, row_of

ALL = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, errors.TreadleError)]
SECRET = "dsn=postgres://u:p@h /srv/keys"
# The message is made where the class is raised, of what the client sent and of our own words.
OWN_WORDS = {kind for kind in ALL if row_of(kind).message is None}


def raised(kind: type[Exception], message: str = SECRET) -> Exception:
    """An exception of this class with this message."""
    if kind is errors.PlanError:
        return errors.PlanError((message,))
    if kind is errors.BadAnswerError:
        return errors.BadAnswerError((errors.AnswerProblem("r.i1", message),))
    return kind(message, result=None) if kind is errors.RunFailedError else kind(message)


@pytest.mark.requirement("ACCESS-refusal")
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_exception_has_a_status_a_code_and_a_reference(kind: type[Any]) -> None:
    """Design: errors are code, message and reference."""
    told = refusal(raised(kind))
    body = json.loads(told.body)
    assert 400 <= told.status < 600
    more = {"problems"} if kind is errors.BadAnswerError else set()
    assert body.keys() == {"code", "message", "reference"} | more
    assert body["code"] == ("internal" if told.status == 500 else kind.code)
    assert re.fullmatch(r"e_[0-9a-f]{16}", body["reference"])
    assert body["message"] == body["message"].strip()


@pytest.mark.requirement("ACCESS-refusal", "D38")
@pytest.mark.parametrize(
    "error",
    [raised(kind) for kind in ALL if kind not in OWN_WORDS] + [RuntimeError(SECRET), KeyError(SECRET), OSError(SECRET)],
    ids=lambda error: type(error).__name__,
)
def test_no_foreign_word_goes_out(error: Exception) -> None:
    """D38: an error's text held a connection string and went out on every surface."""
    told = refusal(error)
    assert not any(part in str(told) + told.body.decode() for part in SECRET.split())


def _break() -> None:
    raise RuntimeError(SECRET)


@pytest.mark.requirement("D38")
def test_whoever_runs_the_server_finds_the_rest_under_the_reference(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: what is not told to a client is not lost."""
    with caplog.at_level(logging.INFO, logger="treadle.server"):
        with pytest.raises(RuntimeError) as caught:
            _break()
        told = refusal(caught.value)
        assert told.reference in caplog.text
        assert SECRET in caplog.text
        assert "Traceback" in caplog.text
        caplog.clear()
        told = refusal(errors.ForbiddenError("bob\nINFO forged may not read"))
    (line,) = caplog.messages
    assert told.reference in line
    assert "\n" not in line


def test_a_server_that_stops_does_not_fill_its_log_with_failures(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: starts that are refused while it drains are no failure of anybody's, however many come."""
    with caplog.at_level(logging.INFO, logger="treadle.server"):
        told = refusal(errors.StoppingError("about to stop"))
    assert (told.status, told.headers["Retry-After"]) == (503, "5")
    (record,) = caplog.records
    assert (record.levelno, record.exc_info) == (logging.INFO, None)


@pytest.mark.parametrize(
    ("status", "says"), [(404, "/openapi.json"), (405, "`Allow`"), (406, "text/event-stream or as application/x-nd")]
)
def test_what_no_route_answers_is_told_how_to_ask(status: int, says: str) -> None:
    """Ours: a phrase of HTTP alone helps nobody."""
    assert says in refusal(HTTPException(status)).message


def test_only_these_speak_for_themselves() -> None:
    """Ours: a message goes out where it is our own and about what the client sent; a new such class is named here."""
    assert {kind.__name__ for kind in OWN_WORDS} == {
        "BadAnswerError",
        "BadRequestError",
        "CapError",
        "BodyTooLargeError",
        "BodyTooSlowError",
        "RunTooLargeError",
        "TooManyRunsError",
        "TooManyReadersError",
        "TooManyTicketsError",
        "CursorError",
        "AgentNotFoundError",
        "OutboundRefusedError",
    }


@pytest.mark.parametrize(
    ("error", "status", "headers", "details"),
    [
        (errors.UnauthenticatedError("no", challenge="Bearer x"), 401, {"WWW-Authenticate": "Bearer x"}, {}),
        (errors.TicketError("no"), 401, {"WWW-Authenticate": "Bearer"}, {}),
        (errors.ForbiddenError("no"), 403, {}, {}),
        (errors.RunNotFoundError("no"), 404, {}, {}),
        (errors.BodyTooLargeError("no"), 413, {}, {}),
        (errors.BodyTooSlowError("no"), 408, {}, {}),
        (errors.TooManyRunsError("no", retry_after_s=0.2), 429, {"Retry-After": "1"}, {}),
        (errors.TooManyReadersError("no", retry_after_s=4.2), 429, {"Retry-After": "5"}, {}),
        (errors.RunTooLargeError("no"), 409, {}, {}),
        (errors.ThreadBusyError("no"), 409, {}, {}),
        (errors.KeyReusedError("no"), 422, {}, {}),
        (errors.CursorError("no", reset_to="1:4"), 400, {}, {"reset_to": "1:4"}),
        (errors.CursorError("no"), 400, {}, {}),
        (errors.BadRequestError("no", pointer="/prompt"), 400, {}, {"pointer": "/prompt"}),
        (
            errors.BadAnswerError(
                (errors.AnswerProblem("r.i1", "question 'q1' has no answer", 2), errors.AnswerProblem(None, "none"))
            ),
            400,
            {},
            {
                "problems": [
                    {"position": 2, "interrupt_id": "r.i1", "problem": "question 'q1' has no answer"},
                    {"position": None, "interrupt_id": None, "problem": "none"},
                ]
            },
        ),
        (errors.PauseNotFoundError("no"), 404, {}, {}),
        (errors.TokenInvalidError("no"), 404, {}, {}),
        (errors.CancelAskedError("no", taken=("r.i1",)), 409, {}, {"taken": ["r.i1"]}),
        (errors.TokenExpiredError("no"), 410, {}, {}),
        (errors.AlreadyAnsweredError("no", taken=("r.i1",)), 409, {}, {"taken": ["r.i1"]}),
        (errors.AlreadyAnsweredError("no"), 409, {}, {}),
        (errors.PauseOpenError("no"), 409, {}, {}),
        (errors.AccessUnavailableError("no"), 503, {"Retry-After": "5"}, {}),
        (errors.StoreOwnedError("no"), 503, {"Retry-After": "5"}, {}),
        (errors.StoreFullError("no"), 507, {}, {}),
        (errors.HostRefusedError("no"), 421, {}, {}),
        (errors.ToolboxError("no"), 502, {}, {}),
        (ValueError("no"), 500, {}, {}),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_the_status_the_headers_and_the_details(
    error: Exception, status: int, headers: dict[str, str], details: dict[str, object]
) -> None:
    """HTTP: what a client needs to do better next time is where it looks for it."""
    told = refusal(error)
    assert (told.status, dict(told.headers), dict(told.details)) == (status, headers, details)


@pytest.mark.parametrize(
    ("error", "status", "code", "headers"),
    [
        (HTTPException(404, SECRET), 404, "not_found", {}),
        (HTTPException(405, headers={"Allow": "GET", "X-Debug": SECRET}), 405, "method_not_allowed", {"Allow": "GET"}),
        (HTTPException(401, headers={"WWW-Authenticate": "Basic"}), 401, "unauthorized", {"WWW-Authenticate": "Basic"}),
        (HTTPException(500, SECRET), 500, "internal", {}),
        (HTTPException(599, SECRET), 500, "internal", {}),
    ],
)
def test_what_the_framework_or_a_users_own_access_refuses_keeps_its_status_alone(
    error: HTTPException, status: int, code: str, headers: dict[str, str]
) -> None:
    """Ours: an application's own 401 is a 401 here, and its detail stays with it."""
    told = refusal(error)
    assert (told.status, told.code, dict(told.headers)) == (status, code, headers)
    assert SECRET not in told.body.decode()


@given(st.text() | st.text(alphabet=st.characters(categories=["Cs", "Cc", "Zl", "L"]), max_size=2000))
def test_any_message_of_ours_is_one_line_of_json(message: str) -> None:
    """Ours: what a client sent may stand in what it is told, and forges nothing there."""
    told = refusal(errors.BadRequestError(message, pointer=message))
    body = json.loads(told.body)
    assert len(body["message"]) <= MAX_MESSAGE_CHARS
    assert body["message"].isprintable()
    assert b"\n" not in told.body


async def test_a_refusal_is_answered_and_never_kept() -> None:
    """HTTP: an error that is kept on the way is told to those who come after."""
    told = Refusal(status=429, code="c", message="m", reference="e_1", headers={"Retry-After": "3"})
    status, headers, body = await asked(told.send, scope_of())
    assert (status, headers["retry-after"], headers["cache-control"]) == (429, "3", "no-store")
    assert body == {"code": "c", "message": "m", "reference": "e_1"}


def test_the_table_names_classes_of_the_tree_alone() -> None:
    """Ours: a class that is gone leaves no row behind."""
    assert set(ROWS) <= set(ALL)
