"""Traces: the records of runs as spans of OpenTelemetry's GenAI conventions.

`folding` turns stored records into spans as values and needs no library; `otel` hands them to OpenTelemetry.
"""
