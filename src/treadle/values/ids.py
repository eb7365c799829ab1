"""Names of things, as distinct types: a call's id is not a run's."""

from __future__ import annotations

from typing import NewType

RunId = NewType("RunId", str)
ThreadId = NewType("ThreadId", str)
CallId = NewType("CallId", str)
InterruptId = NewType("InterruptId", str)

NO_RUN = RunId("")
NO_THREAD = ThreadId("")
NO_CALL = CallId("")


def call_id(run_id: RunId, number: int) -> CallId:
    """The id of a run's n-th call, counted from 1. Counted, never drawn: the same on every rebuild."""
    return CallId(f"{run_id}.c{number}")


def interrupt_id(run_id: RunId, number: int) -> InterruptId:
    """The id of a run's n-th pause, counted from 1."""
    return InterruptId(f"{run_id}.i{number}")
