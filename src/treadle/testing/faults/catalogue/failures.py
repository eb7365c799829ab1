"""Failures a provider tells: HTTP errors, errors inside a stream, and answers that are none."""

from treadle.testing.faults.scenario import Scenario, attempts, call, counts, done, fails, reply, say, stream
from treadle.testing.faults.steps import (
    LEAK_MARK,
    Chunk,
    Done,
    ErrorChunk,
    Finish,
    Fragment,
    Head,
    Raw,
    Reply,
    Reset,
    RoleOnly,
    Status,
    Usage,
)

_OK = reply(RoleOnly(), say("ok"), Finish(reason="stop"), Done())
_SOON = (("retry-after", "0"), ("retry-after-ms", "1"))
_BUSY = ErrorChunk(kind="overloaded_error", code="overloaded")
_BAD = ErrorChunk(kind="invalid_request_error", code="context_length_exceeded")
_KINDS = {
    400: ("invalid_request_error", "model_refused"),
    401: ("authentication_error", "model_refused"),
    403: ("permission_error", "model_refused"),
    404: ("not_found_error", "model_refused"),
    429: ("rate_limit_error", "model_busy"),
    500: ("server_error", "upstream_error"),
    503: ("overloaded_error", "model_busy"),
}


def _status(code: int) -> Reply:
    return reply(Status(code=code, kind=_KINDS[code][0], headers=_SOON if code in (429, 500, 503) else ()))


_STATUSES = (
    *(
        Scenario(
            name=f"status_{code}",
            says=f"HTTP {code}, each time",
            turns=(attempts(_status(code)),),
            expected=fails(error_code, requests=1 if error_code == "model_refused" else None),
        )
        for code, (_, error_code) in _KINDS.items()
    ),
    *(
        Scenario(
            name=f"status_{code}_then_ok",
            says=f"HTTP {code} once, then an answer",
            turns=(attempts(_status(code), _OK),),
            expected=done("ok", requests=2),
        )
        for code in (429, 500, 503)
    ),
    Scenario(
        name="status_502_page",
        says="a gateway's page in place of an error, each time",
        turns=(
            attempts(
                reply(
                    Status(
                        code=502,
                        headers=_SOON,
                        body=f"<html><h1>Bad gateway</h1>{LEAK_MARK}</html>".encode(),
                        content_type="text/html",
                    )
                )
            ),
        ),
        expected=fails("upstream_error", requests=None),
    ),
    Scenario(
        name="status_400_in_second_round",
        says="the request with the result is refused",
        turns=(
            stream(
                say("a "),
                call(Fragment(index=0, call_id="A", name="ping", arguments="{}")),
                Finish(reason="tool_calls"),
                Done(),
            ),
            attempts(_status(400)),
        ),
        expected=fails("model_refused", "a ", tools=(("ping", 1),), requests=2),
    ),
    Scenario(
        name="reset_before_head",
        says="the connection is reset before any answer, each time",
        turns=(attempts(reply(Reset())),),
        expected=fails("upstream_error", requests=None),
    ),
    Scenario(
        name="reset_before_head_then_ok",
        says="the connection is reset once, then an answer",
        turns=(attempts(reply(Reset()), _OK),),
        expected=done("ok", requests=2),
    ),
)

_IN_STREAM = (
    Scenario(
        name="error_first",
        says="an error is the first event of a good status, each time",
        turns=(attempts(reply(ErrorChunk())),),
        expected=fails("upstream_error", requests=None),
        cases=("BR-193",),
    ),
    Scenario(
        name="busy_first",
        says="an overload is the first event of a good status, each time",
        turns=(attempts(reply(_BUSY)),),
        expected=fails("model_busy", requests=None),
        cases=("BR-193",),
    ),
    Scenario(
        name="busy_first_then_ok",
        says="an overload as the first event, then an answer",
        turns=(attempts(reply(_BUSY), _OK),),
        expected=done("ok", requests=2),
        cases=("BR-193",),
    ),
    Scenario(
        name="busy_after_role_then_ok",
        says="an overload after the role, then an answer",
        turns=(attempts(reply(RoleOnly(), _BUSY), _OK),),
        expected=done("ok", requests=2),
        cases=("BR-191", "BR-193"),
    ),
    Scenario(
        name="bad_request_first",
        says="a refusal as the first event of a good status: not to be tried again",
        turns=(attempts(reply(_BAD), _OK),),
        expected=fails("model_refused"),
        cases=("BR-193",),
    ),
    Scenario(
        name="error_after_text",
        says="an error after some text, then a normal end of the body",
        turns=(stream(say("Par"), ErrorChunk()),),
        expected=fails("upstream_error", "Par"),
        cases=("BR-193", "BR-097"),
    ),
    Scenario(
        name="busy_after_text",
        says="an overload after some text",
        turns=(stream(say("Par"), _BUSY, Done()),),
        expected=fails("model_busy", "Par"),
        cases=("BR-193",),
    ),
    Scenario(
        name="error_after_usage",
        says="an error after text and usage: what was spent is told",
        turns=(stream(say("Par"), Usage(counts=counts(9, 1)), ErrorChunk()),),
        expected=fails("upstream_error", "Par", usage=counts(9, 1)),
    ),
    Scenario(
        name="error_is_a_string",
        says="the error is a text and no object",
        turns=(stream(say("Par"), ErrorChunk(shape="string")),),
        expected=fails("upstream_error", "Par"),
    ),
    Scenario(
        name="error_beside_choices",
        says="the error stands on a chunk with a choice whose finish reason is error",
        turns=(stream(say("Par"), ErrorChunk(shape="beside_choices"), Done()),),
        expected=fails("upstream_error", "Par"),
    ),
)

_GARBLED = (
    Scenario(
        name="garbled_first",
        says="the first event is no JSON",
        turns=(attempts(reply(Raw(data=b"data: {not json\n\n"))),),
        expected=fails("model_garbled", requests=None),
    ),
    Scenario(
        name="garbled_after_text",
        says="an event after some text is no JSON",
        turns=(stream(say("so far"), Raw(data=b'data: {"choices":[{"ind\n\n'), say("void")),),
        expected=fails("model_garbled", "so far"),
    ),
    Scenario(
        name="choices_are_a_number",
        says="an event is JSON and no chunk",
        turns=(stream(say("so far"), Chunk(fields={"choices": 5}), say("void")),),
        expected=fails("model_garbled", "so far"),
    ),
    Scenario(
        name="page_in_place_of_a_stream",
        says="status 200 and a page",
        turns=(attempts(reply(Head(content_type="text/html"), Raw(data=f"<html>{LEAK_MARK}</html>".encode()))),),
        expected=fails("model_garbled", requests=None),
    ),
)

FAILURES = (*_STATUSES, *_IN_STREAM, *_GARBLED)
