"""Requests that a program makes of the OpenAPI document to break it: unfitting ones, and those without a credential.

That requests which fit are answered as documented is held in test_openapi.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from tests.runtime.agents import scripted
from tests.server.sockets import LONGEST_S, served
from treadle.app.server import Server
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.openapi import document

pytestmark = pytest.mark.slow

KEY: Final = {"X-API-Key": "the-key-that-a-program-was-given"}
ACCESS: Final = ApiKeys({KEY["X-API-Key"]: Principal(name="program", scope="acme", may=list(Action))})
OPEN: Final = ("/healthz", "/readyz", "/openapi.json")
SCHEMA: Final = schemathesis.openapi.from_dict(document(root_path="", agents=("a",)))
OPERATIONS: Final = [
    pytest.param(path, method.upper(), id=f"{method.upper()} {path}")
    for path, methods in SCHEMA.raw_schema["paths"].items()
    for method in methods
    if path not in OPEN
]
TRIED: Final = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server for all requests."""
    with served(Server([scripted("text: Hello.")], access=ACCESS)) as address:
        yield address


@pytest.fixture(scope="module")
def run_id(url: str) -> str:
    """A run that there is."""
    body = {"agent": "a", "prompt": "hi"}
    found: str = requests.post(f"{url}/v1/runs", json=body, headers=KEY, timeout=LONGEST_S).json()["run_id"]
    return found


def cases_of(path: str, method: str, mode: GenerationMode) -> st.SearchStrategy[Any]:
    """Requests for one operation, that fit the document or do not."""
    strategy: st.SearchStrategy[Any] = SCHEMA[path][method].as_strategy(mode)
    return strategy


def can_be_misused(path: str, method: str) -> bool:
    """Whether a request for this operation can fail to fit the document."""
    told = SCHEMA.raw_schema["paths"][path][method.lower()]
    return "requestBody" in told or any(one["in"] != "path" for one in told.get("parameters", ()))


def asked(case: schemathesis.Case, url: str, run_id: str, headers: Mapping[str, str]) -> Any:  # noqa: ANN401 (a response of the library)
    """Make the request, about half of the time of a run that there is."""
    if case.path_parameters and len(str(case.path_parameters.get("run_id", ""))) % 2:
        case.path_parameters["run_id"] = run_id
    return case.call(base_url=url, headers=dict(headers), timeout=LONGEST_S)


@pytest.mark.requirement("ACCESS-document")
@pytest.mark.parametrize(("path", "method"), [one for one in OPERATIONS if can_be_misused(*one.values)])
def test_what_does_not_fit_is_refused_as_the_document_says(path: str, method: str, url: str, run_id: str) -> None:
    """Issue: schemathesis over the OpenAPI document, with what the document forbids."""

    @TRIED
    @given(case=cases_of(path, method, GenerationMode.NEGATIVE))
    def tried(case: schemathesis.Case) -> None:
        case.validate_response(asked(case, url, run_id, KEY))

    tried()


@pytest.mark.requirement("ACCESS-document", "ACCESS-headers")
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_no_request_gets_by_without_a_credential(path: str, method: str, url: str, run_id: str) -> None:
    """Ours: whatever a program finds to send, who asks comes first."""

    @TRIED
    @given(case=cases_of(path, method, GenerationMode.POSITIVE))
    def tried(case: schemathesis.Case) -> None:
        case.headers.pop("X-API-Key", None)
        # A path without a name in it is another path.
        assert asked(case, url, run_id, {}).status_code in (401, 404, 405)

    tried()
