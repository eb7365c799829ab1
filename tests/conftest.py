"""What every test shares: how many examples a property gets, and where the real model can run.

TREADLE_HYPOTHESIS names the profile: quick (the commit hook), default, or soak (`make soak`).
The first two draw the same examples every time, so that a test that passed once passes again; soaks draw by their seed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from scripts.platforms import has_local_wheels

# Runs pytest on tests that a test writes; the plugin of treadle.testing is tried with it.
pytest_plugins = ["pytester"]

# How long an example takes depends on who else uses the machine, so no property fails for being slow.
settings.register_profile(
    "quick", max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("default", settings.get_profile("quick"), max_examples=300)
settings.register_profile(
    "soak",
    settings.get_profile("quick"),
    derandomize=False,
    print_blob=True,
    max_examples=int(os.environ.get("TREADLE_SOAK_EXAMPLES", "5000")),
)
settings.load_profile(os.environ.get("TREADLE_HYPOTHESIS", "default"))


def pytest_collection_finish() -> None:
    """End here what coverage sees: a program that a test starts runs as a user's does, neither slower nor measured."""
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Run what is marked so without coverage, which makes a loop over single characters five times as long."""
    trace = sys.gettrace()
    if item.get_closest_marker("untraced") is not None:
        sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(trace)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave tests of the real model out where its engine has no wheel: a reason of the platform alone."""
    if has_local_wheels():
        return
    for item in items:
        if item.get_closest_marker("real_model") is not None:
            item.add_marker(pytest.mark.skip(reason="platform: the engine of the model 'local' has no wheel here"))
