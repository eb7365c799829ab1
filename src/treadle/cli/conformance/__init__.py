"""The official clients of the wires against the scripted agents: what is tried, what should come of it, and what came.

Source: docs/cli.md, docs/matrix.md.
"""
