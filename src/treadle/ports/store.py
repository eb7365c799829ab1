"""The three ports of a store in one: what a runner is given."""

from __future__ import annotations

from typing import Protocol

from treadle.ports.inbox import Inbox
from treadle.ports.log import RunLog
from treadle.ports.runs import RunTable


class Store(RunLog, RunTable, Inbox, Protocol):
    """Logs, table and inboxes of runs, by one adapter, in shared transactions."""
