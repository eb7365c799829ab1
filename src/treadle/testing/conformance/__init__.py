"""Suites that an adapter is held to: ours by our own tests, a user's by theirs. They need pytest and Hypothesis."""
