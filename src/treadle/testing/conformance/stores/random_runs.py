"""Random lives of runs: a store and the naive one are told the same, and must say the same.

In: any order of creating, claiming, appending (once, twice, stale, wrong), sending, reading, deleting, and time.
Out: a difference, shrunk by Hypothesis to the shortest life that shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from treadle.errors import FencedError, RunLogError, SequenceConflictError
from treadle.testing.conformance.stores.bench import Bench
from treadle.testing.conformance.stores.clock import SettableClock
from treadle.testing.conformance.stores.driver import Driver
from treadle.testing.conformance.stores.harness import StoreHarness
from treadle.testing.conformance.stores.logs import Script, Told, records_of
from treadle.testing.conformance.stores.naive import NaiveRun, NaiveStore
from treadle.values.ids import RunId, ThreadId
from treadle.values.model import TEXT, THINKING
from treadle.values.runs import Lease, NewRun, OnBusyThread, RunStatus
from treadle.values.stretches import Stretch

SCOPES: Final = ("alice", "bob")
TTL_S: Final = 10.5
_REFUSALS_OF_WRITERS: Final = (FencedError, SequenceConflictError)

_scopes = st.sampled_from(SCOPES)
_plans = st.sampled_from([("p1",), ("p2",), ("p1", "p2")])
_statuses = st.sampled_from([RunStatus.OWNED] * 4 + list(RunStatus))
_texts = st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=3)
_parts = st.lists(
    st.one_of(
        st.tuples(st.sampled_from([TEXT, THINKING]), _texts),
        st.tuples(st.just("stage"), _texts),
        st.tuples(st.just("facts"), st.lists(st.integers(1, 3), min_size=1, max_size=3)),
        st.just(("mixed", [])),
    ),
    max_size=3,
)
_slips = st.sampled_from([0] * 6 + [-1, 1])
_which = st.integers(0, 9)
_keys = st.sampled_from(["a", "b", "c", "d"])
_kinds = st.sampled_from(["message", "answer", "stop"])
_unless = st.sampled_from([None, None, "stop", "cancel"])


class RandomRuns(RuleBasedStateMachine):
    """One life of a store."""

    def __init__(self, harness: StoreHarness) -> None:
        super().__init__()
        self.clock = SettableClock()
        self.driver = Driver(harness.make(self.clock))
        self.bench = Bench(self.driver.store, self.clock, harness)
        self.naive = NaiveStore()
        self.leases: list[Lease] = []
        self.created = 0
        self.touched: NaiveRun | None = None
        """The run that the last step was about."""

    def teardown(self) -> None:
        """Leave the store."""
        self.driver.close()

    @rule(
        scope=_scopes,
        thread=st.sampled_from(["", "t1", "t2"]),
        key=st.sampled_from([None, None, "k1", "k2"]),
        digest=st.sampled_from(["d1", "d1", "d2"]),
        on_busy=st.sampled_from(OnBusyThread),
        plan=st.sampled_from(["p1", "p2"]),
    )
    def create(self, **fields: Any) -> None:  # noqa: ANN401 (drawn fields of a new run)
        """A request comes."""
        self.clock.advance(1.0)
        self.created += 1
        run = NewRun(
            run_id=RunId(f"r{self.created}"),
            thread_id=ThreadId(fields.pop("thread")),
            agent="calc",
            request=b"?",
            **fields,
        )
        told, state = self._both(lambda: self.naive.create(run).new.run_id, self.bench.store.create(run))
        assert (state and state.run_id) == told
        self.touched = self.naive.runs[-1] if self.naive.runs else None

    @initialize()
    def begin(self) -> None:
        """Nothing happens without an owner, so there is one from the beginning."""
        self.create(scope="alice", thread="t1", key=None, digest="d1", on_busy=OnBusyThread.REJECT, plan="p1")
        self.claim(["p1"])

    @rule(parts=_parts, status=_statuses)
    def write(self, parts: Any, status: RunStatus) -> None:  # noqa: ANN401 (whatever Hypothesis draws)
        """The latest owner writes as it should."""
        owned = [lease for lease in self.leases if (run := self._run(lease)) and _owns(run, lease)]
        if owned and (run := self._run(owned[-1])):
            stretches = _stretches(Script(owned[-1].run_id, len(run.log), run.next_index), parts)
            self._append(owned[-1], run, stretches, status=status, wake_at_s=None)

    @rule(key=_keys, kind=_kinds, unless=_unless)
    def answer(self, *, key: str, kind: str, unless: str | None) -> None:
        """Somebody says something to the run that the last step was about."""
        if run := self.touched:
            self._send(run, run.new.scope, key, kind=kind, unless=unless)

    @rule(plans=_plans)
    def claim(self, plans: Sequence[str]) -> None:
        """A worker looks for a run."""
        now_s = self.clock.now_s()
        claimable = self.naive.claimable(plans, now_s)
        lease = self.driver.run(self.bench.store.claim("w1", plans=plans, ttl_s=TTL_S))
        if lease is None:
            assert [run.new.run_id for run in claimable] == []
            return
        (run,) = [run for run in claimable if (run.new.scope, run.new.run_id) == (lease.scope, lease.run_id)]
        self.naive.claim(run, now_s + TTL_S)
        self.touched = run
        assert (lease.epoch, lease.next_seq, lease.next_index) == (run.epoch, len(run.log), run.next_index)
        self.leases.append(lease)

    @rule(seconds=st.sampled_from([1.0, 6.0, 11.0]))
    def pass_time(self, seconds: float) -> None:
        """Time goes by."""
        self.clock.advance(seconds)

    @rule(which=_which)
    def renew(self, which: int) -> None:
        """Whoever owns or owned a run holds on to it."""
        if lease := _one_of(self.leases, which):
            until_s = self.clock.now_s() + TTL_S
            self._both(lambda: self.naive.renew(lease, until_s), self.bench.store.renew(lease, ttl_s=TTL_S))

    @rule(which=_which, parts=_parts, status=_statuses, wakes=st.booleans(), seq_slip=_slips, index_slip=_slips)
    def append(self, which: int, parts: Any, status: RunStatus, **drawn: Any) -> None:  # noqa: ANN401 (whatever Hypothesis draws)
        """Whoever owns or owned a run writes at its end, or beside it, and takes the messages that are there."""
        if (lease := _one_of(self.leases, which)) and (run := self._run(lease)):
            script = Script(lease.run_id, len(run.log) + drawn["seq_slip"], run.next_index + drawn["index_slip"])
            if min(script.seq, script.index) >= 0:
                wake_at_s = self.clock.now_s() + 5.5 if drawn["wakes"] else None
                self._append(lease, run, _stretches(script, parts), status=status, wake_at_s=wake_at_s)

    @rule(which=_which, batch=_which, longer=st.integers(1, 2), status=_statuses)
    def repeat(self, which: int, batch: int, *, longer: int, status: RunStatus) -> None:
        """Whoever owns or owned a run writes one or two batches of it again."""
        if (lease := _one_of(self.leases, which)) and (run := self._run(lease)) and run.batches:
            begin = batch % len(run.batches)
            again = [stretch for old in run.batches[begin : begin + longer] for stretch in old]
            self._append(lease, run, again, status=status, wake_at_s=None)

    @rule(scope=_scopes, which=_which, key=_keys, kind=_kinds, unless=_unless)
    def send(self, scope: str, which: int, *, key: str, kind: str, unless: str | None) -> None:
        """Somebody says something, perhaps to another's run."""
        if run := _one_of(self.naive.runs, which):
            self._send(run, scope, key, kind=kind, unless=unless)

    @rule(scope=_scopes, which=_which, facts_only=st.booleans())
    def delete(self, scope: str, which: int, *, facts_only: bool) -> None:
        """Somebody deletes a run, perhaps another's."""
        if run := _one_of(self.naive.runs, which):
            run_id = run.new.run_id
            told = self.bench.store.delete(scope, run_id, facts_only=facts_only)
            expected, came = self._both(lambda: self.naive.delete(scope, run_id, facts_only=facts_only), told)
            assert came == expected
            self.touched = run

    @rule(which=_which, after=st.integers(-1, 20), limit=st.sampled_from([1, 2, 5, 100]))
    def read(self, which: int, after: int, limit: int) -> None:
        """Somebody reads from anywhere."""
        if run := _one_of(self.naive.runs, which):
            page = self.driver.run(self.bench.store.read(run.new.scope, run.new.run_id, after, limit=limit))
            told = [one for one in records_of(page) if one.index is not None and one.index > after]
            expected = [one for one in run.log if one.index is not None and one.index > after]
            assert [_shown(one) for one in told] == [_shown(one) for one in expected[: len(told)]]
            assert told or not expected

    @invariant()
    def the_stores_agree(self) -> None:
        """Every run stands where it should, with the messages and the log that it should have."""
        for scope in SCOPES:
            found = self.driver.run(self.bench.store.find(scope))
            expected = [run for run in reversed(self.naive.runs) if run.new.scope == scope]
            assert [_standing_of(run) for run in expected] == [
                (state.run_id, state.status, state.epoch, state.wake_at_s, state.next_index) for state in found
            ]

    @invariant()
    def the_run_at_hand_is_the_same(self) -> None:
        """The run that the last step was about: its messages and its log."""
        run = self.touched
        if run in self.naive.runs and run is not None:
            messages = self.driver.run(self.bench.store.inbox(run.new.scope, run.new.run_id))
            assert len(messages) == len(run.open)
            assert [one.key for one in messages if one.kind != "cancel"] == [
                key for key in run.open if not key.startswith("cancel")
            ]
            told = records_of(self.driver.run(self.bench.store.read(run.new.scope, run.new.run_id, -1, limit=100_000)))
            assert [_shown(one) for one in told] == [_shown(one) for one in run.log]

    def _send(self, run: NaiveRun, scope: str, key: str, *, kind: str, unless: str | None) -> None:
        run_id = run.new.run_id
        told = self.bench.store.send(scope, run_id, key=key, kind=kind, unless=unless)
        expected, came = self._both(lambda: self.naive.send(scope, run_id, key, kind=kind, unless=unless), told)
        assert came == expected
        self.touched = run

    def _append(
        self, lease: Lease, run: NaiveRun, batch: list[Stretch], *, status: RunStatus, wake_at_s: float | None
    ) -> None:
        """Take every second message, told by key to the naive store and by number to the other.

        What an owner that gave the run up writes at a wrong place is refused for either reason.
        """
        gave_up = run.epoch == lease.epoch and run.status is not RunStatus.OWNED
        messages = self.driver.run(self.bench.store.inbox(run.new.scope, run.new.run_id))
        numbers = [message.number for message in messages[::2]]
        told, came = self._both(
            lambda: self.naive.append(lease, batch, status=status, wake_at_s=wake_at_s, take=run.open[::2]),
            self.bench.store.append(lease, batch, status=status, wake_at_s=wake_at_s, take=numbers),
            alike=_REFUSALS_OF_WRITERS if gave_up else (),
        )
        assert came == told
        self.touched = run

    def _both(
        self, naive: Callable[[], Any], store: Coroutine[Any, Any, Any], *, alike: Sequence[type[RunLogError]] = ()
    ) -> tuple[Any, Any]:
        """What both say; where one refuses, the other must refuse for the same reason, or for one that is alike."""
        expected, refused = _outcome(naive)
        came, refusal = _outcome(lambda: self.driver.run(store))
        assert refusal is refused or {refusal, refused} <= {*alike}, f"expected {refused}, came {refusal}"
        return expected, came

    def _run(self, lease: Lease) -> NaiveRun | None:
        runs = (run for run in self.naive.runs if (run.new.scope, run.new.run_id) == (lease.scope, lease.run_id))
        return next(runs, None)


def lives_of(harness: type[StoreHarness], folder: Path) -> type[RandomRuns]:
    """A machine class without parameters, as Hypothesis wants it; each life has a folder of its own."""
    numbers = count(1)

    class Life(RandomRuns):
        def __init__(self) -> None:
            own = folder / f"life{next(numbers)}"
            own.mkdir()
            super().__init__(harness(own))

    return Life


def _outcome(act: Callable[[], Any]) -> tuple[Any, type[RunLogError] | None]:
    try:
        return act(), None
    except RunLogError as refusal:
        return None, type(refusal)


def _one_of(things: Sequence[Any], which: int) -> Any:  # noqa: ANN401 (one of the things)
    """One of the latest ten: those are where something happens."""
    return things[-1 - which % len(things)] if things else None


def _owns(run: NaiveRun, lease: Lease) -> bool:
    return (run.status, run.epoch) == (RunStatus.OWNED, lease.epoch)


def _standing_of(run: NaiveRun) -> tuple[object, ...]:
    return run.new.run_id, run.status, run.epoch, run.wake_at_s, run.next_index


def _shown(told: Told) -> Told:
    """Without its seq: what became of the seqs of a log whose facts were deleted is the store's affair."""
    return replace(told, seq=-1)


def _stretches(script: Script, parts: Sequence[tuple[str, Any]]) -> list[Stretch]:
    made: list[Stretch] = []
    for kind, what in parts:
        if kind == "stage":
            made.append(script.stage(*what))
        elif kind == "facts":
            made.append(script.facts(*what))
        elif kind == "mixed":
            made.append(script.mixed("s", "t"))
        else:
            made.append(script.speech(*what, kind=kind))
    return made
