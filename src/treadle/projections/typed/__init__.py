"""The typed stream: kernel events as the `StreamEvent` union that Python users read.

In: kernel events in log order. Out: stream events. Knows nothing of how a run is driven or read.

Source: docs/stream-events.md.
"""
