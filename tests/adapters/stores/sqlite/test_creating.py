"""New runs by the rules of key and thread."""

from __future__ import annotations

import pytest

from tests.adapters.stores.sqlite.files import PLAN, RUN, SCOPE, append, new_run, owned, tables_in_memory
from treadle.adapters.stores.sqlite import creating, messages, run_table
from treadle.errors import KeyReusedError, ThreadBusyError
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import OnBusyThread, RunStatus

THREAD = ThreadId("t1")


def test_a_key_and_an_id_stand_for_one_request() -> None:
    """Ours: the same request again finds its run; another one is refused, and nothing has changed."""
    with tables_in_memory() as connection:
        first = creating.create(connection, new_run(key="k1"), 1.0)
        assert first.is_new
        for again in (new_run(key="k1"), new_run("r2", key="k1"), new_run()):
            assert creating.create(connection, again, 2.0) == creating.Created(state=first.state, is_new=False)
        for other in (new_run("r2", key="k1", digest="d2"), new_run(digest="d2")):
            with pytest.raises(KeyReusedError):
                creating.create(connection, other, 2.0)
        assert run_table.names(connection, SCOPE) == ["r1"]


def test_a_busy_thread_refuses_queues_or_is_told_to_stop() -> None:
    """Design: one live run a thread, a waiting one included."""
    with tables_in_memory() as connection:
        lease, _ = owned(connection, thread_id=THREAD)
        append(connection, lease, status=RunStatus.WAITING)
        with pytest.raises(ThreadBusyError):
            creating.create(connection, new_run("r2", thread_id=THREAD), 3.0)
        creating.create(connection, new_run("r3", thread_id=THREAD, on_busy=OnBusyThread.QUEUE), 3.0)
        assert messages.open_messages(connection, SCOPE, RUN) == []
        made = creating.create(connection, new_run("r4", thread_id=THREAD, on_busy=OnBusyThread.CANCEL_PREVIOUS), 4.0)
        assert (made.told, made.woken) == ((RUN, RunId("r3")), (RUN,))
        assert [one.kind for one in messages.open_messages(connection, SCOPE, RUN)] == [creating.CANCEL]
        assert run_table.state(connection, SCOPE, RUN).status is RunStatus.READY
        claimed = [run_table.claim(connection, "w", plans=[PLAN], now_s=9.0, ttl_s=1.0) for _ in range(2)]
        assert [one and one.run_id for one in claimed] == [RUN, None]
