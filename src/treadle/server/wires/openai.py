"""The OpenAI compatible API: chat completions, Responses, and the agents as models.

In: a mount. Out: its routes. What is refused is said in the protocol's own form, with a reference for the operator as
the id of the request. Nothing is to be asked again once a run exists: the official client repeats a request by itself,
and would start a second one.

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from treadle.codec.foreign import json_bytes
from treadle.server.access.failures import Refusal
from treadle.server.access.principal import Action
from treadle.server.mounting import Mount
from treadle.server.routes import Route
from treadle.server.visit import Visit
from treadle.server.wires.openai_chat import Completions
from treadle.server.wires.openai_request import NO_RETRY, agent_called, has_run
from treadle.server.wires.openai_responses import RESPONSE, Responses, run_of
from treadle.values.exposure import TEXT_ONLY

EXPOSURE: Final = TEXT_ONLY
MODEL: Final = "model"

_TYPES: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


def routes(mount: Mount) -> Sequence[Route]:
    """What stands below the path of a mount; `base_url` of a client is that path and `/v1`."""
    exposure, base = mount.exposure or EXPOSURE, f"{mount.path}/v1"
    completions, responses = Completions(exposure), Responses(exposure)
    one = f"{base}/responses/{{{RESPONSE}}}"
    return (
        Route(
            method="POST",
            path=f"{base}/chat/completions",
            action=Action.START,
            endpoint=completions.create_completion,
            refused=refused,
        ),
        Route(
            method="POST",
            path=f"{base}/responses",
            action=Action.START,
            endpoint=responses.create_response,
            refused=refused,
        ),
        Route(
            method="GET",
            path=one,
            action=Action.READ,
            endpoint=responses.read_response,
            refused=refused,
            run_of=run_of,
        ),
        Route(
            method="POST",
            path=f"{one}/cancel",
            action=Action.CANCEL,
            endpoint=responses.cancel_response,
            refused=refused,
            run_of=run_of,
        ),
        Route(method="GET", path=f"{base}/models", action=Action.AGENTS, endpoint=list_models, refused=refused),
        Route(
            method="GET",
            path=f"{base}/models/{{{MODEL}:path}}",
            action=Action.AGENTS,
            endpoint=read_model,
            refused=refused,
        ),
    )


async def list_models(visit: Visit) -> Response:
    """The agents, as models."""
    return _answer({"object": "list", "data": [_model(name) for name in visit.parts.agents]})


async def read_model(visit: Visit) -> Response:
    """One agent, as a model."""
    return _answer(_model(agent_called(visit, visit.request.path_params[MODEL])))


async def refused(request: Request, refusal: Refusal) -> Response:
    """A refusal in the protocol's form."""
    is_model = refusal.code == "agent_not_found"
    pointer = refusal.details.get("pointer")
    error = {
        "message": refusal.message,
        "type": _type_of(refusal.status),
        "param": MODEL if is_model else ".".join(pointer.strip("/?").split("/")) if pointer else None,
        "code": "model_not_found" if is_model else refusal.code,
    }
    headers = {**refusal.headers, "cache-control": "no-store", "x-request-id": refusal.reference}
    if has_run(request) or refusal.status == HTTPStatus.CONFLICT:
        headers |= NO_RETRY
    body = json_bytes({"error": error})
    return Response(body, status_code=refusal.status, media_type="application/json", headers=headers)


def _type_of(status: int) -> str:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "server_error"
    return _TYPES.get(status, "invalid_request_error")


def _model(name: str) -> dict[str, object]:
    # When an agent was declared is nowhere known; clients want a number.
    return {"id": name, "object": "model", "created": 0, "owned_by": "treadle"}


def _answer(terms: dict[str, object]) -> Response:
    return Response(json_bytes(terms), media_type="application/json", headers={"cache-control": "no-store"})
