"""A run as chat completions: a completion is a segment."""
