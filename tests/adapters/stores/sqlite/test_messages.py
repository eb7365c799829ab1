"""Messages: once for each key, in order, until an append takes them."""

from __future__ import annotations

from tests.adapters.stores.sqlite.files import RUN, SCOPE, owned, tables_in_memory
from treadle.adapters.stores.sqlite import messages
from treadle.values.ids import RunId


def test_a_key_is_used_for_good() -> None:
    """Ours: also when the message was taken long ago."""
    with tables_in_memory() as connection:
        owned(connection)
        for key in ("b", "a"):
            assert messages.put(connection, SCOPE, RUN, key=key, kind="answer", body=b"\x00")
        first, second = messages.open_messages(connection, SCOPE, RUN)
        assert (first.key, second.key, first.body) == ("b", "a", b"\x00")
        messages.take(connection, SCOPE, RUN, numbers=[first.number, second.number])
        assert not messages.are_open(connection, SCOPE, RUN)
        assert not messages.put(connection, SCOPE, RUN, key="a", kind="answer", body=b"other")


def test_a_message_is_of_its_run_and_scope() -> None:
    """Ours: to take by number reaches no other run's message."""
    with tables_in_memory() as connection:
        owned(connection)
        for scope, run_id in ((SCOPE, RUN), ("bob", RUN), (SCOPE, RunId("r2"))):
            assert messages.put(connection, scope, run_id, key="a", kind="answer", body=b"")
        (mine,) = messages.open_messages(connection, SCOPE, RUN)
        messages.take(connection, "bob", RUN, numbers=[mine.number])
        messages.take(connection, SCOPE, RUN, numbers=())
        assert messages.are_open(connection, SCOPE, RUN)
