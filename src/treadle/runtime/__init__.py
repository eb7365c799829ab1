"""Runs in motion: the loop that drives one, the writer of its log, and those who read it."""
