"""Runs as tasks of A2A: one fold, and the words of versions 1.0 and 0.3."""
