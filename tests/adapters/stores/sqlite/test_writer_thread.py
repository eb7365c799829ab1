"""One thread writes: all that waits in one transaction, each work with its own end."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from treadle.adapters.stores.sqlite import writer_thread
from treadle.adapters.stores.sqlite.connection import limit_size, open_writer
from treadle.adapters.stores.sqlite.writer_thread import GAP_S, PATIENCE, WriterThread
from treadle.errors import RunFinalError, RunLogError, StateError, StoreFullError
from treadle.runtime.failpoints import Failpoint
from treadle.testing.failpoints import armed


class _Idle:
    """Idle work that is counted."""

    def __init__(self, left: int = 0, *, fails: bool = False) -> None:
        self.left = left
        self.fails = fails
        self.heard: list[str] = []
        self.idle = threading.Event()

    def is_due(self) -> bool:
        return self.left > 0

    def slice(self, connection: sqlite3.Connection, /) -> None:
        connection.execute("insert into words values ('idle')")
        if self.fails:
            raise ZeroDivisionError

    def done(self) -> None:
        self._hear("done")

    def failed(self) -> None:
        self._hear("failed")

    def _hear(self, what: str) -> None:
        self.heard.append(what)
        self.left -= 1
        if not self.left:
            self.idle.set()


class _Buffer:
    """Words that are written late."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.undone = 0

    def write(self, connection: sqlite3.Connection, /) -> None:
        connection.executemany("insert into words values (?)", [(word,) for word in self.words])
        self.words.clear()

    def taken_back(self) -> None:
        self.words.clear()
        self.undone += 1


@asynccontextmanager
async def _writer(path: Path, idle: _Idle | None = None, buffer: _Buffer | None = None) -> AsyncIterator[WriterThread]:
    def connect() -> sqlite3.Connection:
        connection = open_writer(path, synchronous="NORMAL")
        connection.execute("create table if not exists words (word text not null)")
        return connection

    writer = WriterThread(path, connect=connect, idle=idle or _Idle(), buffer=buffer or _Buffer())
    await writer.start()
    try:
        yield writer
    finally:
        await asyncio.to_thread(writer.close)


def _put(word: str | None) -> Callable[[sqlite3.Connection], str | None]:
    def do(connection: sqlite3.Connection) -> str | None:
        connection.execute("insert into words values (?)", (word,))
        return word

    return do


def _refuse(_: sqlite3.Connection) -> None:
    raise RunFinalError("no more")


def _words(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        return [word for (word,) in connection.execute("select word from words order by rowid")]
    finally:
        connection.close()


async def test_what_waits_together_is_one_transaction(tmp_path: Path) -> None:
    """Ours: group commit; each is told of its own result, and whoever heeds it hears first."""
    heard: list[object] = []
    async with _writer(tmp_path / "a.db") as writer:
        before = writer.commits
        futures = [writer.submit(_put(str(number)), heard.append) for number in range(50)]
        assert await asyncio.gather(*futures) == [str(number) for number in range(50)]
        assert heard == [str(number) for number in range(50)]
        assert writer.commits - before <= 2
    assert len(_words(tmp_path / "a.db")) == 50


class _Time:
    """The module `time` of a writer's thread: it passes where the thread sleeps, and where a test lets it."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds


@pytest.mark.requirement("ST-11")
async def test_two_commits_lie_apart_and_a_store_at_rest_adds_no_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design §6: at least 2 ms between commits, counted from the last one, and no other wait."""
    time = _Time()
    monkeypatch.setattr(writer_thread, "time", time)
    async with _writer(tmp_path / "a.db") as writer:
        for passes_s, waits_s in (
            (0.0, None),
            (0.0, 0.002),
            (0.0005, 0.0015),
            (0.002, None),
            (3600.0, None),
            (0.0, 0.002),
        ):
            time.now_s += passes_s
            time.slept.clear()
            await writer.submit(_put("x"))
            assert time.slept == ([] if waits_s is None else [pytest.approx(waits_s)])
        assert GAP_S == 1 / 500


async def test_a_refusal_is_its_own(tmp_path: Path) -> None:
    """Ours: what is written with it stands, and nobody heeds what did not happen."""
    heard: list[object] = []
    async with _writer(tmp_path / "a.db") as writer:
        futures = [writer.submit(_put("a")), writer.submit(_refuse, heard.append), writer.submit(_put("b"))]
        ends = await asyncio.gather(*futures, return_exceptions=True)
    assert [type(end) for end in ends] == [str, RunFinalError, str]
    assert (_words(tmp_path / "a.db"), heard) == (["a", "b"], [])


async def test_what_fails_does_not_take_others_with_it(tmp_path: Path) -> None:
    """Ours: all is taken back and each is tried alone; a bug of ours ends no thread."""
    buffer = _Buffer()
    async with _writer(tmp_path / "a.db", buffer=buffer) as writer:
        works = [_put("a"), _put(None), lambda _: 1 / 0, _put("b")]
        ends = await asyncio.gather(*[writer.submit(work) for work in works], return_exceptions=True)
        assert [type(end) for end in ends] == [str, RunLogError, ZeroDivisionError, str]
        assert buffer.undone >= 2
        assert await writer.submit(_put("c")) == "c"
    assert _words(tmp_path / "a.db") == ["a", "b", "c"]


async def test_a_full_disk_refuses_all_and_the_store_goes_on(tmp_path: Path) -> None:
    """Ours: nothing of what was refused is written."""
    async with _writer(tmp_path / "a.db") as writer:
        await writer.submit(lambda connection: limit_size(connection, 0))
        futures = [writer.submit(_put("x" * 100_000)) for _ in range(3)]
        ends = await asyncio.gather(*futures, return_exceptions=True)
        assert [type(end) for end in ends] == [StoreFullError] * 3
        assert len({id(end) for end in ends}) == 3
        await writer.submit(lambda connection: limit_size(connection, None))
        assert await writer.submit(_put("a")) == "a"
    assert _words(tmp_path / "a.db") == ["a"]


async def test_the_buffer_is_written_before_what_reads_it_and_at_the_end(tmp_path: Path) -> None:
    """Ours: rows of many appends are one statement, and nobody notices."""
    buffer = _Buffer()
    counts: list[int] = []

    def count(connection: sqlite3.Connection) -> None:
        counts.append(connection.execute("select count(*) from words").fetchone()[0])

    async with _writer(tmp_path / "a.db", buffer=buffer) as writer:
        works = [
            writer.submit(lambda _: buffer.words.append("a"), is_buffered=True),
            writer.submit(count, is_buffered=True),
            writer.submit(count),
            writer.submit(lambda _: buffer.words.append("b"), is_buffered=True),
        ]
        await asyncio.gather(*works)
    assert counts == [0, 1]
    assert _words(tmp_path / "a.db") == ["a", "b"]


async def test_a_cancelled_wait_stops_no_work(tmp_path: Path) -> None:
    """Ours: all or nothing, and the thread goes on."""
    async with _writer(tmp_path / "a.db") as writer:
        future = writer.submit(_put("a"))
        future.cancel()
        assert await writer.submit(_put("b")) == "b"
    assert _words(tmp_path / "a.db") == ["a", "b"]


async def test_idle_work_is_done_when_nobody_waits(tmp_path: Path) -> None:
    """Ours: slice by slice; what fails is taken back and fails nobody."""
    for fails, heard, words in ((False, "done", ["idle"] * 3), (True, "failed", [])):
        idle = _Idle(3, fails=fails)
        path = tmp_path / f"{heard}.db"
        async with _writer(path, idle):
            assert await asyncio.to_thread(idle.idle.wait, 5)
            assert idle.heard == [heard] * 3
        assert _words(path) == words


async def test_idle_work_has_its_turn_under_load(tmp_path: Path) -> None:
    """Ours: a store that is never idle joins its rows all the same."""
    idle = _Idle()
    async with _writer(tmp_path / "a.db", idle) as writer:

        def load(_: sqlite3.Connection) -> None:
            idle.left = 1

        works = [writer.submit(load)]
        for _ in range(PATIENCE + 3):
            works.append(writer.submit(_put("a")))
            await works[-1]
        assert await asyncio.to_thread(idle.idle.wait, 5)


async def test_the_log_is_written_back_under_load_and_at_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: by the writer, after it has told who asked; the file beside does not grow for ever."""
    for name, rests in (("busy", False), ("rest", True)):
        monkeypatch.setattr(writer_thread, "CHECKPOINT_BUSY" if not rests else "CHECKPOINT_IDLE", 1)
        path = tmp_path / f"{name}.db"
        async with _writer(path) as writer:
            await writer.submit(_put("x" * 100_000))
            while await asyncio.to_thread(lambda path=path: path.stat().st_size) < 100_000:
                await asyncio.to_thread(threading.Event().wait, 0.01)
        monkeypatch.undo()


async def test_a_closed_store_has_written_what_it_took(tmp_path: Path) -> None:
    """Ours: from any thread, more than once; later work is refused."""
    async with _writer(tmp_path / "a.db") as writer:
        future = writer.submit(_put("a"))
        await asyncio.gather(*(asyncio.to_thread(writer.close) for _ in range(3)))
        assert await future == "a"
        with pytest.raises(StateError):
            writer.submit(_put("b"))
    assert _words(tmp_path / "a.db") == ["a"]


def test_a_store_outlives_the_loop_that_opened_it(tmp_path: Path) -> None:
    """Ours: a loop that ended without closing leaves a thread that can still be closed."""

    async def leave() -> WriterThread:
        context = _writer(tmp_path / "a.db")
        writer = await context.__aenter__()
        writer.submit(_put("a"))
        writer.left = context  # type: ignore[attr-defined]  # so that it is not closed with the loop
        return writer

    loop = asyncio.new_event_loop()
    writer = loop.run_until_complete(leave())
    loop.close()
    writer.close()
    writer.tell(print, "to nobody")
    assert _words(tmp_path / "a.db") == ["a"]


async def test_what_cannot_be_opened_is_told_to_who_opens_it(tmp_path: Path) -> None:
    """Ours: whatever it is; nothing waits for a thread that is not there."""

    def fail() -> sqlite3.Connection:
        raise sqlite3.OperationalError("no")

    writer = WriterThread(tmp_path / "a.db", connect=fail, idle=_Idle(), buffer=_Buffer())
    with pytest.raises(RunLogError):
        await writer.start()
    with pytest.raises(StateError):
        writer.submit(_put("a"))
    await asyncio.to_thread(writer.close)


async def test_a_commit_meets_its_points_in_order(tmp_path: Path) -> None:
    """Ours: where a process may be killed is where it says."""
    met: list[Failpoint] = []
    async with _writer(tmp_path / "a.db") as writer:
        with armed(met.append):
            await writer.submit(_put("a"))
            await asyncio.sleep(0)
    assert met == [
        Failpoint.BEFORE_BEGIN,
        Failpoint.BEFORE_COMMIT,
        Failpoint.AFTER_COMMIT_BEFORE_ACK,
        Failpoint.AFTER_ACK,
    ]
