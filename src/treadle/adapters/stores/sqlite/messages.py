"""The table of messages: what was sent to runs, once for each key.

In: a connection within a transaction of the writer, or a reader's. Out: messages in the order in which they came.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from treadle.values.ids import RunId
from treadle.values.runs import Message


def put(connection: sqlite3.Connection, scope: str, run_id: RunId, *, key: str, kind: str, body: bytes) -> bool:
    """Keep a message. False where its key was used before, for a message that was taken as well."""
    done = connection.execute(
        "insert into messages (scope, run_id, key, kind, body) values (?, ?, ?, ?, ?) on conflict do nothing",
        (scope, run_id, key, kind, body),
    )
    return done.rowcount == 1


def open_messages(connection: sqlite3.Connection, scope: str, run_id: RunId) -> list[Message]:
    """What no append has taken, in order."""
    found = connection.execute(
        "select number, key, kind, body from messages where scope = ? and run_id = ? and not taken order by number",
        (scope, run_id),
    )
    return [Message(number=number, key=key, kind=kind, body=body) for number, key, kind, body in found]


def are_open(connection: sqlite3.Connection, scope: str, run_id: RunId) -> bool:
    """Whether there is a message that no append has taken."""
    found = connection.execute(
        "select 1 from messages where scope = ? and run_id = ? and not taken limit 1", (scope, run_id)
    )
    return found.fetchone() is not None


def take(connection: sqlite3.Connection, scope: str, run_id: RunId, *, numbers: Sequence[int]) -> None:
    """Mark messages as taken. Their keys stay used."""
    if numbers:
        connection.executemany(
            "update messages set taken = 1 where scope = ? and run_id = ? and number = ?",
            [(scope, run_id, number) for number in numbers],
        )
