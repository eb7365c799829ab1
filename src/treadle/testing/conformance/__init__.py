"""Suites that an adapter is held to: ours by our own tests, a user's by theirs. They need pytest and Hypothesis."""

import pytest

# Without it pytest says no more than that an assertion failed, for the checks stand in no test file.
pytest.register_assert_rewrite("treadle.testing.conformance.stores")
