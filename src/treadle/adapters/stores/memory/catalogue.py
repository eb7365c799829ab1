"""Where a run is found: by its name, its key, its thread. The scope is part of each.

It knows which runs of a thread are live, and so whose turn it is; it decides nothing about what may be created.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from treadle.adapters.stores.memory.stored_run import StoredRun
from treadle.errors import RunNotFoundError
from treadle.values.ids import NO_THREAD, RunId, ThreadId
from treadle.values.runs import NewRun

_Name = tuple[str, str]
"""A scope, and what is named in it."""
_K = TypeVar("_K")


class Catalogue:
    """All runs of a store, in the order of their creation."""

    __slots__ = ("_by_key", "_created", "_live", "_scopes", "_threads")

    def __init__(self) -> None:
        self._scopes: dict[str, dict[RunId, StoredRun]] = {}
        self._threads: dict[_Name, dict[RunId, StoredRun]] = {}
        self._live: dict[_Name, dict[RunId, StoredRun]] = {}
        self._by_key: dict[_Name, StoredRun] = {}
        self._created = 0

    def get(self, scope: str, run_id: RunId) -> StoredRun:
        """The run of this name.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        run = self._scopes.get(scope, {}).get(run_id)
        if run is None:
            raise RunNotFoundError(f"no run {run_id!r} in this scope")
        return run

    def twin(self, new: NewRun) -> StoredRun | None:
        """The run that stands already under the key or the id of a new one."""
        by_key = None if new.key is None else self._by_key.get((new.scope, new.key))
        return by_key or self._scopes.get(new.scope, {}).get(new.run_id)

    def live(self, scope: str, thread_id: ThreadId) -> list[StoredRun]:
        """The live runs of a thread; only the first of them can be claimed. Runs without a thread have none."""
        return list(self._live.get((scope, thread_id), {}).values())

    def add(self, new: NewRun, now_s: float) -> StoredRun:
        """Enter a new run."""
        self._created += 1
        run = StoredRun(new, number=self._created, now_s=now_s)
        thread = new.scope, new.thread_id
        self._scopes.setdefault(new.scope, {})[new.run_id] = run
        self._threads.setdefault(thread, {})[new.run_id] = run
        if new.thread_id != NO_THREAD:
            self._live.setdefault(thread, {})[new.run_id] = run
        if new.key is not None:
            self._by_key[new.scope, new.key] = run
        return run

    def retire(self, run: StoredRun) -> None:
        """A run is final: its thread goes on without it."""
        _remove(self._live, (run.new.scope, run.new.thread_id), run.new.run_id)

    def remove(self, run: StoredRun) -> None:
        """Forget a final run: its name, its key and its place in its thread."""
        new = run.new
        _remove(self._scopes, new.scope, new.run_id)
        _remove(self._threads, (new.scope, new.thread_id), new.run_id)
        if new.key is not None:
            del self._by_key[new.scope, new.key]

    def newest_first(self, scope: str, thread_id: ThreadId | None) -> Iterator[StoredRun]:
        """The runs of a scope, or of one of its threads."""
        runs = self._scopes.get(scope, {}) if thread_id is None else self._threads.get((scope, thread_id), {})
        return reversed(runs.values())


def _remove(tables: dict[_K, dict[RunId, StoredRun]], name: _K, run_id: RunId) -> None:
    """Take a run out of a table, and the table away when it is empty."""
    runs = tables.get(name)
    if runs is not None:
        runs.pop(run_id, None)
        if not runs:
            del tables[name]
