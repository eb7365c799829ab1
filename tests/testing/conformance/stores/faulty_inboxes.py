"""Stores whose inboxes have one fault each, or that know no scope."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treadle.adapters.stores.memory import MemoryStore
from treadle.errors import RunFinalError, RunNotFoundError
from treadle.values.ids import RunId
from treadle.values.runs import Lease, Message, NewRun, RunState, RunStatus
from treadle.values.stretches import Stretch

Passed = Any
"""What a faulty method passes on as it came."""


class TakesFirst(MemoryStore):
    """Messages are taken before it is sure that anything is written."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        inbox = self._catalogue.get(lease.scope, lease.run_id).inbox
        for number in words.get("take", ()):
            inbox.pop(number, None)
        return await super().append(lease, stretches, **words)


class TakesNothing(MemoryStore):
    """Messages stay when they were recorded."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        return await super().append(lease, stretches, **{**words, "take": ()})


class WaitsRegardless(MemoryStore):
    """A run that is to wait waits, whatever was sent to it."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        given = await super().append(lease, stretches, **words)
        if words["status"] is RunStatus.WAITING and given is RunStatus.READY:
            run = self._catalogue.get(lease.scope, lease.run_id)
            self._queue.drop(run)
            run.status = given = RunStatus.WAITING
        return given


class HidesMissing(MemoryStore):
    """A run that is not there is empty."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        try:
            return await super().read(scope, run_id, after, limit=limit)
        except RunNotFoundError:
            return []

    async def inbox(self, scope: str, run_id: RunId, /) -> Sequence[Message]:
        try:
            return await super().inbox(scope, run_id)
        except RunNotFoundError:
            return []


class DropsBodies(MemoryStore):
    """A message is its key."""

    async def send(self, scope: str, run_id: RunId, /, **words: Passed) -> bool:
        return await super().send(scope, run_id, **{**words, "body": b""})


class ForgetsSent(MemoryStore):
    """A key can be sent again when its message was taken; the last one counts."""

    async def send(self, scope: str, run_id: RunId, /, **words: Passed) -> bool:
        run = self._catalogue.get(scope, run_id)
        run.keys = {message.key for message in run.inbox.values()} - {words["key"]}
        return await super().send(scope, run_id, **words)


class SendsTwice(MemoryStore):
    """Between the look for a key and the message others get their turn."""

    async def send(self, scope: str, run_id: RunId, /, **words: Passed) -> bool:
        if words["key"] in self._catalogue.get(scope, run_id).keys:
            return False
        await asyncio.sleep(0)
        await super().send(scope, run_id, **words)
        return True


class SendsAnyway(MemoryStore):
    """What came before hinders nothing."""

    async def send(self, scope: str, run_id: RunId, /, **words: Passed) -> bool:
        return await super().send(scope, run_id, **{**words, "unless": None})


class ForgetsKinds(MemoryStore):
    """What an append has taken hinders nothing."""

    async def send(self, scope: str, run_id: RunId, /, **words: Passed) -> bool:
        run = self._catalogue.get(scope, run_id)
        run.kinds = {message.kind for message in run.inbox.values()}
        return await super().send(scope, run_id, **words)


class LooksThenSends(MemoryStore):
    """Between the look for what came before and the message others get their turn."""

    async def send(self, scope: str, run_id: RunId, /, **words: Passed) -> bool:
        unless = words.pop("unless", None)
        if unless in self._catalogue.get(scope, run_id).kinds:
            return False
        if unless is not None:
            await asyncio.sleep(0)
        return await super().send(scope, run_id, **words)


class WakesNobody(MemoryStore):
    """A message to a waiting run leaves it waiting."""

    async def send(self, scope: str, run_id: RunId, /, **words: Passed) -> bool:
        run = self._catalogue.get(scope, run_id)
        if run.is_final:
            raise RunFinalError
        return words["unless"] not in run.kinds and run.take_in(words["key"], words["kind"], words["body"])


class HearsAfterTheEnd(MemoryStore):
    """A final run takes messages in."""

    async def send(self, scope: str, run_id: RunId, /, **words: Passed) -> bool:
        return self._catalogue.get(scope, run_id).take_in(words["key"], words["kind"], words["body"])


class SortsInbox(MemoryStore):
    """Messages come in the order of their keys."""

    async def inbox(self, scope: str, run_id: RunId, /) -> Sequence[Message]:
        return sorted(await super().inbox(scope, run_id), key=lambda message: message.key)


class KnowsNoScope(MemoryStore):
    """Everyone is alice."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, scope="alice"))

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        return await super().append(replace(lease, scope="alice"), stretches, **words)

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        return await super().read("alice" if scope else scope, run_id, after, limit=limit)

    async def find(self, scope: str, /, **words: Passed) -> Sequence[RunState]:
        return await super().find("alice" if scope else scope, **words)

    async def delete(self, scope: str, run_id: RunId, /, *, facts_only: bool = False) -> bool:
        return await super().delete("alice" if scope else scope, run_id, facts_only=facts_only)
