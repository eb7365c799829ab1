"""Blocking functions in threads: slots, ends, cancels."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from treadle.adapters.toolboxes.functions.threads import Threads

BOUND_S = 5.0


def _nothing() -> None:
    pass


def _raising(error: BaseException) -> Callable[[], NoReturn]:
    def function() -> NoReturn:
        raise error

    return function


async def _run(threads: Threads, function: Callable[[], Any], stop: Callable[[], None] = _nothing) -> Any:  # noqa: ANN401 (what it returns)
    async with asyncio.timeout(BOUND_S):
        return await threads.run(function, name="tool", stop=stop)


async def _set(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, BOUND_S)


async def test_a_function_runs_in_a_daemon_thread_of_its_name() -> None:
    """No executor, so nothing waits for it at exit (ours)."""
    name, daemon, ident = await _run(
        Threads(), lambda: (threading.current_thread().name, threading.current_thread().daemon, threading.get_ident())
    )
    assert (name, daemon) == ("tool", True)
    assert ident != threading.get_ident()


async def test_what_a_function_raises_is_raised_in_the_loop() -> None:
    """`StopIteration` too, which a future refuses to hold (ours)."""
    for error in (ValueError("x"), StopIteration(1)):
        with pytest.raises((ValueError, RuntimeError)) as caught:
            await _run(Threads(), _raising(error))
        assert error in (caught.value, caught.value.__cause__)


@pytest.mark.parametrize("end", [SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit()])
async def test_a_function_cannot_end_the_process_or_the_task(end: BaseException) -> None:
    """What would end either is a failure of the tool (ours)."""
    with pytest.raises(RuntimeError) as caught:
        await _run(Threads(), _raising(end))
    assert caught.value.__cause__ is end


@pytest.mark.requirement("BR-008")
async def test_a_cancel_waits_for_the_function_to_end() -> None:
    """The stop reaches the thread, and only when it has ended the cancellation is raised (BR-008)."""
    begun, stop, ended = threading.Event(), threading.Event(), threading.Event()

    def function() -> None:
        begun.set()
        stop.wait(BOUND_S)
        ended.set()

    task = asyncio.create_task(_run(Threads(), function, stop.set))
    await _set(begun)
    assert not stop.is_set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_a_second_cancel_leaves_the_thread_to_itself() -> None:
    """An event loop that closes cancels what is left, and must not hang on it (ours)."""
    begun, told, let_go = threading.Event(), threading.Event(), threading.Event()

    def function() -> None:
        begun.set()
        let_go.wait(BOUND_S)

    task = asyncio.create_task(_run(Threads(), function, told.set))
    await _set(begun)
    task.cancel()
    await _set(told)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    let_go.set()


async def test_a_coroutine_that_comes_after_a_cancel_is_closed() -> None:
    """Nobody awaits it, and nobody complains about it (ours; warnings are errors here)."""
    begun, stop = threading.Event(), threading.Event()

    async def late() -> None:
        pass

    def function() -> object:
        begun.set()
        stop.wait(BOUND_S)
        return late()

    task = asyncio.create_task(_run(Threads(), function, stop.set))
    await _set(begun)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_only_so_many_functions_run_at_once_and_the_others_wait_their_turn() -> None:
    """Threads are bounded; none is refused, none overtakes (ours)."""
    threads, let_go, entered = Threads(2), threading.Event(), threading.Semaphore(0)
    begun: list[int] = []

    def function(number: int) -> int:
        begun.append(number)
        entered.release()
        let_go.wait(BOUND_S)
        return number

    tasks = [asyncio.create_task(_run(threads, lambda number=number: function(number))) for number in range(6)]
    for _ in range(2):
        assert await asyncio.to_thread(entered.acquire, timeout=BOUND_S)
    tasks[3].cancel()
    with pytest.raises(asyncio.CancelledError):
        await tasks[3]
    assert sorted(begun) == [0, 1]
    let_go.set()
    assert await asyncio.gather(*tasks[:3], *tasks[4:]) == [0, 1, 2, 4, 5]
    assert set(begun) == {0, 1, 2, 4, 5}


async def test_a_turn_that_comes_too_late_goes_to_the_next() -> None:
    """Cancelled in the moment its turn came, a waiting call gives it on (ours)."""
    threads, let_go = Threads(1), threading.Event()
    first = asyncio.create_task(_run(threads, lambda: let_go.wait(BOUND_S)))
    await asyncio.sleep(0)
    second = asyncio.create_task(_run(threads, _nothing))
    third = asyncio.create_task(_run(threads, lambda: "ran"))
    await asyncio.sleep(0)
    let_go.set()
    # The loop is blocked here until the thread is over, so that its turn is on its way when the cancel comes.
    for thread in threading.enumerate():
        if thread.name == "tool":
            thread.join(BOUND_S)
    second.cancel()
    assert await third == "ran"
    assert await first is True
    with pytest.raises(asyncio.CancelledError):
        await second
    assert await _run(threads, lambda: "free") == "free"


async def test_a_turn_that_was_taken_and_then_cancelled_is_given_back() -> None:
    """Granted, and cancelled before it went on (ours)."""
    threads, let_go = Threads(1), threading.Event()
    first = asyncio.create_task(_run(threads, lambda: let_go.wait(BOUND_S)))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(threads.run(_nothing, name="tool", stop=_nothing))
    await asyncio.sleep(0)
    let_go.set()
    for thread in threading.enumerate():
        if thread.name == "tool":
            thread.join(BOUND_S)
    # Behind the grant in the loop's queue, before the task that it wakes.
    asyncio.get_running_loop().call_soon(waiting.cancel)
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await first
    assert await _run(threads, lambda: "free") == "free"


def test_who_waits_in_a_closed_loop_is_passed_over() -> None:
    """One toolbox serves one event loop after the other (ours)."""
    threads, let_go, begun = Threads(1), threading.Event(), threading.Event()

    def function() -> None:
        begun.set()
        let_go.wait(BOUND_S)

    def abandon() -> None:
        loop = asyncio.new_event_loop()
        blocking = loop.create_task(threads.run(function, name="tool", stop=_nothing))
        loop.run_until_complete(_set(begun))
        waiting = loop.create_task(threads.run(_nothing, name="tool", stop=_nothing))
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        for task in (blocking, waiting):
            # A loop that is closed finishes no task; ours complain about that when they are dropped.
            task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001 (asyncio's only way)
            task.get_coro().close()  # type: ignore[union-attr]  # it was just set

    abandon()
    let_go.set()
    assert asyncio.run(_run(threads, lambda: "free")) == "free"


async def test_a_thread_that_cannot_be_started_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process may be out of threads for a while (ours)."""
    threads = Threads(1)

    def refuse(_: threading.Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            await _run(threads, _nothing)
    assert await _run(threads, lambda: "free") == "free"


@pytest.mark.slow
def test_a_function_that_never_returns_does_not_keep_the_interpreter() -> None:
    """A hanging tool must not hang the program (ours)."""
    code = (
        "import asyncio, threading\n"
        "from treadle.adapters.toolboxes.functions.threads import Threads\n"
        "async def main():\n"
        "    begun = threading.Event()\n"
        "    def hang():\n"
        "        begun.set()\n"
        "        threading.Event().wait()\n"
        "    task = asyncio.create_task(Threads().run(hang, name='t', stop=lambda: None))\n"
        "    while not begun.is_set():\n"
        "        await asyncio.sleep(0)\n"
        "    task.cancel()\n"
        "    await asyncio.sleep(0)\n"
        "asyncio.run(main())\n"
        "print('over')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert ended.stdout == "over\n"
