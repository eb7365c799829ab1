"""The table of messages: what was sent to runs, once for each key.

In: a connection within a transaction of the writer, or a reader's. Out: messages in the order in which they came.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from treadle.values.ids import RunId
from treadle.values.runs import Message

_PUT: Final = """
insert into messages (scope, run_id, key, kind, body) select ?, ?, ?, ?, ?
where not exists (select 1 from messages where scope = ? and run_id = ? and kind = ?)
on conflict do nothing
"""


def put(  # noqa: PLR0913 (one for each column, and what would come before it)
    connection: sqlite3.Connection,
    scope: str,
    run_id: RunId,
    *,
    key: str,
    kind: str,
    body: bytes,
    unless: str | None = None,
) -> bool:
    """Keep a message.

    False where its key was used before, or a message of the kind `unless` was sent, be it that it was taken since.
    """
    done = connection.execute(_PUT, (scope, run_id, key, kind, body, scope, run_id, unless))
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
