"""The routes as a document, and a program that believes every word of it."""

from __future__ import annotations

import json

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS, load_all_checks

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from tests.server.calls import ask
from tests.server.sockets import LONGEST_S, served
from treadle._version import __version__
from treadle.app.server import Server
from treadle.server.access.admission import Caps
from treadle.server.openapi import document
from treadle.server.operations import OPERATIONS
from treadle.server.routes import ROUTES

EXAMPLES = 12
# Who is asked for what, and methods that a path has not, are held by test_routes.py.
LEFT_OUT = {"ignored_auth", "unsupported_method"}


def test_every_route_is_said_and_nothing_else() -> None:
    """Issue: OpenAPI."""
    paths = document(root_path="", agents=["a"])["paths"]
    said = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    table = {(route.method, route.path) for route in ROUTES}
    assert said - table == {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/openapi.json")}
    assert table <= said
    ids = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
    assert set(ids) == OPERATIONS.keys() | {"healthz", "readyz", "openapi"}


@virtually
async def test_the_document_is_served_and_says_where_it_stands() -> None:
    """Ours: below the path at which the application is mounted."""
    async with Server([scripted("text: ok")]) as server:
        told = (await ask(server.asgi, "GET", "/openapi.json", root_path="/agents")).json
    assert told["servers"] == [{"url": "/agents"}]
    assert told["info"]["version"] == __version__
    assert told["components"]["schemas"]["Start"]["properties"]["agent"]["enum"] == ["a"]
    assert json.loads(json.dumps(told)) == told


@pytest.mark.slow
@pytest.mark.requirement("SERVE-openapi")
def test_a_program_that_tries_every_route_finds_no_untruth() -> None:
    """Issue: schemathesis over the OpenAPI document. No 5xx, no status, type, header or body that is not said."""
    load_all_checks()
    checks = [check for check in CHECKS.get_all() if check.__name__ not in LEFT_OUT]
    assert len(checks) >= 5
    tried, statuses = set(), set()
    with served(Server([scripted("text: ok")], caps=Caps(live_runs=10_000))) as url:

        def begun() -> dict[str, str]:
            """A run that there is, and its thread, as they stand in paths."""
            run = requests.post(f"{url}/v1/runs", json={"agent": "a", "prompt": "hi"}, timeout=LONGEST_S).json()
            return {"run_id": run["run_id"], "thread_id": run["thread_id"]}

        for result in schemathesis.openapi.from_url(f"{url}/openapi.json").get_all_operations():
            operation = result.ok()
            tried.add(operation.definition.raw["operationId"])

            @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
            @given(operation.as_strategy(), st.booleans())
            def holds(case: schemathesis.Case, is_there: bool) -> None:  # noqa: FBT001 (drawn by the property)
                if is_there and case.path_parameters:
                    case.path_parameters = {name: begun()[name] for name in case.path_parameters}
                response = case.call(base_url=url, timeout=LONGEST_S)
                case.validate_response(response, checks=checks)
                statuses.add(response.status_code)

            holds()
    assert tried >= OPERATIONS.keys()
    assert statuses >= {200, 201, 204, 404}
