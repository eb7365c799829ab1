"""Targets of notifications as clients register, read and remove them, in every form."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import GATED
from tests.server.calls import JSON, ask
from tests.server.wires.a2a.agents_asked import NEW, OLD, message, rpc
from tests.server.wires.a2a.test_push import notifying
from treadle.app.server import Server

URL = "http://127.0.0.1:9/hook"
SECRETS: dict[str, Any] = {"token": "my-token", "authentication": {"scheme": "Bearer", "credentials": "its-own"}}
SHOWN_OF_03 = {"id": "c1", "url": URL, "authentication": {"schemes": ["Bearer"]}}


@asynccontextmanager
async def at_work() -> AsyncGenerator[tuple[Server, str], None]:
    """A server that notifies, and a task that goes on."""
    async with notifying(scripted(GATED)) as server:
        sent = message(configuration={"returnImmediately": True})
        yield server, (await rpc(server.asgi, "SendMessage", sent)).json["result"]["task"]["id"]


@pytest.mark.requirement("A2A-targets")
async def test_a_target_is_written_and_its_secrets_are_never_read_back() -> None:
    """A2A 1.0, push: create, get, list, delete; whoever may read the task learns no credential of another."""
    async with at_work() as (server, task):
        config = {"taskId": task, "id": "c1", "url": URL, **SECRETS}
        shown = {"taskId": task, "id": "c1", "url": URL, "authentication": {"scheme": "Bearer"}}
        made = (await rpc(server.asgi, "CreateTaskPushNotificationConfig", config)).json["result"]
        name = {"taskId": task, "id": "c1"}
        given = (await rpc(server.asgi, "GetTaskPushNotificationConfig", name)).json["result"]
        listed = (await rpc(server.asgi, "ListTaskPushNotificationConfigs", {"taskId": task})).json["result"]
        assert made == given == shown
        assert listed == {"configs": [shown]}
        gone = (await rpc(server.asgi, "DeleteTaskPushNotificationConfig", name)).json
        assert gone["result"] == {}
        missing = await rpc(server.asgi, "GetTaskPushNotificationConfig", name)
        assert missing.json["error"]["code"] == -32001


@pytest.mark.requirement("A2A-targets")
async def test_the_methods_of_03_have_their_own_forms() -> None:
    """A2A 0.3: nested, and a list is bare."""
    async with at_work() as (server, task):
        method = "tasks/pushNotificationConfig"
        authentication = {"schemes": ["Bearer"], "credentials": "its-own"}
        nested = {"id": "c1", "url": URL, "token": "my-token", "authentication": authentication}
        config = {"taskId": task, "pushNotificationConfig": nested}
        shown = {"taskId": task, "pushNotificationConfig": SHOWN_OF_03}
        assert (await rpc(server.asgi, f"{method}/set", config, version=OLD)).json["result"] == shown
        named = {"id": task, "pushNotificationConfigId": "c1"}
        assert (await rpc(server.asgi, f"{method}/get", named, version=OLD)).json["result"] == shown
        assert (await rpc(server.asgi, f"{method}/get", {"id": task}, version=OLD)).json["result"] == shown
        assert (await rpc(server.asgi, f"{method}/list", {"id": task}, version=OLD)).json["result"] == [shown]
        assert (await rpc(server.asgi, f"{method}/delete", named, version=OLD)).json["result"] is None


@pytest.mark.requirement("A2A-targets")
async def test_the_paths_of_both_versions_have_their_own_forms() -> None:
    """A2A 1.0, and the protocol buffers of 0.3."""
    async with at_work() as (server, task):
        new, old = f"/a2a/a/tasks/{task}/pushNotificationConfigs", f"/a2a/a/v1/tasks/{task}/pushNotificationConfigs"
        made = await ask(server.asgi, "POST", new, JSON, NEW, body={"id": "c1", "url": URL, **SECRETS})
        assert made.json == {"taskId": task, "id": "c1", "url": URL, "authentication": {"scheme": "Bearer"}}
        given = await ask(server.asgi, "GET", f"{new}/c1", NEW)
        assert given.json == made.json
        shown = {"name": f"tasks/{task}/pushNotificationConfigs/c1", "pushNotificationConfig": SHOWN_OF_03}
        body = {"configId": "c1", "config": {"pushNotificationConfig": {"url": URL, **SECRETS}}}
        again = await ask(server.asgi, "POST", old, JSON, OLD, body=body)
        assert again.json == shown
        assert (await ask(server.asgi, "GET", f"{old}/c1", OLD)).json == shown
        assert (await ask(server.asgi, "GET", old, OLD)).json == {"configs": [shown]}
        gone = await ask(server.asgi, "DELETE", f"{new}/c1", NEW)
        assert (gone.status, gone.json) == (200, {})
        assert (await ask(server.asgi, "GET", new, NEW)).json == {"configs": []}
