"""The engine's thread: requests in, chunks out, and an end in every case."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from treadle.adapters.models.local.presence import checked_weights

pytestmark = pytest.mark.real_model

BODY = {"messages": [{"role": "user", "content": "Count to ten."}], "stream": True, "temperature": 0, "max_tokens": 5}


@pytest.fixture(name="engines")
def engines_fixture() -> ModuleType:
    """The module under test."""
    return importlib.import_module("treadle.adapters.models.local.engine")


class Asker:
    """Somebody who waits in a thread for all that an engine says."""

    def __init__(self, *, broken: bool = False) -> None:
        self.chunks: list[Mapping[str, Any]] = []
        self.problem: Exception | None = None
        self.ends = 0
        self._broken = broken
        self._ended = threading.Event()

    def chunk(self, chunk: Mapping[str, Any]) -> None:
        self.chunks.append(chunk)
        if self._broken:
            raise RuntimeError("the loop is closed")

    def end(self, problem: Exception | None) -> None:
        self.problem, self.ends = problem, self.ends + 1
        self._ended.set()
        if self._broken:
            raise RuntimeError("the loop is closed")

    def wait(self) -> None:
        assert self._ended.wait(60)


def key(engines: ModuleType, path: Path | None = None) -> object:
    """The packaged weights, or others, with a small context."""
    return engines.EngineKey(path=path or checked_weights(None), threads=1, context_tokens=256)


def test_one_engine_is_shared_by_all_who_ask_for_the_same_weights(engines: ModuleType) -> None:
    """Ours: the weights are in memory once."""
    one, other = engines.hold(key(engines)), engines.hold(key(engines))
    assert one is other
    assert one.holders >= 2
    engines.release(one)
    engines.release(other)


def test_requests_are_answered_one_after_the_other_and_each_ends_once(engines: ModuleType) -> None:
    """Ours: whoever waits is told of the end, whatever became of the others."""
    engine = engines.hold(key(engines))
    askers = [Asker(), Asker(broken=True), Asker()]
    for asker in askers:
        engine.submit(BODY, asker.chunk, asker.end)
    for asker in askers:
        asker.wait()
    engines.release(engine)
    assert [(asker.ends, asker.problem) for asker in askers] == [(1, None)] * 3
    assert len(askers[1].chunks) == 1, "an asker who is gone is told nothing more"
    assert [chunk["choices"][0]["finish_reason"] for chunk in askers[2].chunks][-1] == "length"


def test_a_request_that_was_stopped_before_its_turn_is_skipped(engines: ModuleType) -> None:
    """Ours: nobody waits for what nobody wants."""
    engine = engines.hold(key(engines))
    first, second = Asker(), Asker()
    engine.submit(BODY, first.chunk, first.end)
    engine.submit(BODY, second.chunk, second.end).stop()
    second.wait()
    engines.release(engine)
    assert (second.chunks, second.problem) == ([], None)
    assert first.chunks


def test_weights_that_cannot_be_loaded_are_a_problem_of_the_request(engines: ModuleType, tmp_path: Path) -> None:
    """Ours: the engine's failure is told to whoever asked, and the thread lives on."""
    path = tmp_path / "none.gguf"
    path.write_bytes(b"GGUF" * 100)
    engine = engines.hold(key(engines, path))
    for _ in range(2):
        asker = Asker()
        engine.submit(BODY, asker.chunk, asker.end)
        asker.wait()
        assert (asker.chunks, type(asker.problem)) == ([], RuntimeError)
    engines.release(engine)
    engine.close()


def test_an_idle_engine_is_forgotten_once_nobody_holds_it(engines: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: what a closed model held is given back, though runs in a row load the weights once."""
    monkeypatch.setattr(engines, "LINGER_S", 0.01)
    wanted = engines.EngineKey(path=Path("never-loaded"), threads=1, context_tokens=1)
    engine = engines.hold(wanted)
    engines.release(engine)
    engine.join(60)
    assert engines.hold(wanted) is not engine
    engines.release(engine)
