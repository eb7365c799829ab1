"""What the OpenAPI document says is what the server does, over every route and whatever a program makes of it.

A program reads the document, makes requests that fit it and requests that do not, and checks what is answered: status,
media type and body are as documented, nothing is a failure of this side, and what does not fit is refused.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from tests.runtime.agents import scripted
from treadle.app.server import Server
from treadle.app.serving import listening, serve, url_of
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.openapi import document

pytestmark = pytest.mark.slow

KEY: Final = "the-key-that-a-program-was-given"
EXAMPLES: Final = 25
PATIENCE_S: Final = 30.0


SCHEMA: Final = schemathesis.openapi.from_dict(document(root_path="", agents=("a",)))
OPERATIONS: Final = [
    (path, method.upper()) for path, methods in SCHEMA.raw_schema["paths"].items() for method in methods
]
FITTING, UNFITTING = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
OPEN: Final = ("/healthz", "/readyz", "/openapi.json")


class Served:
    """A server in a thread of its own, with a run that is over."""

    def __init__(self) -> None:
        self._up = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._main)
        self.url = ""
        self._thread.start()
        assert self._up.wait(PATIENCE_S)

    def close(self) -> None:
        """Stop it."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def _main(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        keys = ApiKeys({KEY: Principal(name="program", scope="acme", may=list(Action))})
        server = Server([scripted("text: Hello.")], access=keys, drain_s=1.0)
        listener = listening("127.0.0.1", 0)
        self.url = url_of(listener)
        await serve(server, listener, told=lambda _: self._up.set(), asked=self._end.wait)


def can_be_misused(path: str, method: str) -> bool:
    """Whether a request for this operation can fail to fit the document."""
    told = SCHEMA.raw_schema["paths"][path][method.lower()]
    return "requestBody" in told or any(one["in"] != "path" for one in told.get("parameters", ()))


TRIED: Final = [
    pytest.param(*one, mode, id=f"{' '.join(one)} {mode.value}")
    for one in OPERATIONS
    for mode in (FITTING, UNFITTING)
    if mode is FITTING or can_be_misused(*one)
]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """One server for all requests."""
    made = Served()
    yield made
    made.close()


@pytest.fixture(scope="module")
def served_run(served: Served) -> str:
    """A run that is over."""
    headers = {"X-API-Key": KEY}
    asked = requests.post(
        f"{served.url}/v1/runs", json={"agent": "a", "prompt": "hi"}, headers=headers, timeout=PATIENCE_S
    )
    run_id: str = asked.json()["run_id"]
    requests.get(f"{served.url}/v1/runs/{run_id}/events", headers=headers, timeout=PATIENCE_S)
    return run_id


def cases_of(path: str, method: str, mode: GenerationMode) -> st.SearchStrategy[Any]:
    """Requests for one operation, that fit the document or do not."""
    strategy: st.SearchStrategy[Any] = SCHEMA[path][method].as_strategy(mode)
    return strategy


def asked(case: schemathesis.Case, served: Served, run_id: str, headers: Mapping[str, str]) -> Any:  # noqa: ANN401 (a response of the library)
    """Make the request, half of the time about a run that there is."""
    if case.path_parameters and "run_id" in case.path_parameters and len(str(case.path_parameters["run_id"])) % 2:
        case.path_parameters["run_id"] = run_id
    return case.call(base_url=served.url, headers=dict(headers), timeout=PATIENCE_S)


@pytest.mark.requirement("ACCESS-document")
@pytest.mark.parametrize(("path", "method", "mode"), TRIED)
def test_every_operation_does_what_the_document_says(
    path: str, method: str, mode: GenerationMode, served: Served, served_run: str
) -> None:
    """Issue: schemathesis over the OpenAPI document."""

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=cases_of(path, method, mode))
    def tried(case: schemathesis.Case) -> None:
        response = asked(case, served, served_run, {"X-API-Key": KEY})
        case.validate_response(response)

    tried()


@pytest.mark.requirement("ACCESS-document", "ACCESS-headers")
@pytest.mark.parametrize(("path", "method"), [one for one in OPERATIONS if one[0] not in OPEN])
def test_no_request_gets_by_without_a_credential(path: str, method: str, served: Served, served_run: str) -> None:
    """Ours: whatever a program finds to send, who asks comes first."""

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=cases_of(path, method, FITTING))
    def tried(case: schemathesis.Case) -> None:
        case.headers.pop("X-API-Key", None)
        assert asked(case, served, served_run, {}).status_code in (401, 404, 405)

    tried()
