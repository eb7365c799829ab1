"""Random lives find what is wrong with a store."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.testing.conformance.stores import faulty_inboxes, faulty_logs, faulty_tables
from tests.testing.conformance.stores.planted import harness_of
from treadle.adapters.stores.memory import MemoryStore
from treadle.errors import RunLogError
from treadle.testing.conformance.stores.random_runs import lives_of

QUICK = settings(
    max_examples=200,
    stateful_step_count=40,
    phases=[Phase.generate],
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize(
    "fault",
    [
        faulty_tables.AlwaysQueues,
        faulty_tables.HoldsForEver,
        faulty_tables.DeletesSoftly,
        faulty_logs.BelievesRepeats,
        faulty_logs.SkipsRows,
        faulty_inboxes.WaitsRegardless,
        faulty_inboxes.TakesNothing,
        faulty_inboxes.KnowsNoScope,
        faulty_inboxes.SendsAnyway,
    ],
)
def test_a_planted_fault_is_found(fault: type[MemoryStore], tmp_path: Path) -> None:
    """Ours: a machine that agrees with everything proves nothing."""
    machine = lives_of(type(harness_of(fault, tmp_path)), tmp_path)
    with pytest.raises((AssertionError, RunLogError, ValueError)):
        run_state_machine_as_test(machine, settings=QUICK)
