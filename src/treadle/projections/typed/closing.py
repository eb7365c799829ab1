"""What the end of a segment says to a typed reader, in two forms.

The public form ends on every ending with one `ResponseComplete`, last. The bare form says `ResponseComplete` for
`done` alone; `error` and `cancelled` say nothing in it, and a pause says its usage and then what it waits for.

In: kernel events. Out: stream events. `typed_of` and `bare_of` take every event; nothing is remembered.

Source: docs/stream-events.md.
"""

from __future__ import annotations

from typing import Any, assert_never

from treadle.projections.typed.events import Ending, ResponseComplete, StreamEvent
from treadle.projections.typed.project import project, usage_of
from treadle.values import events as ev


def typed_of(event: ev.KernelEvent) -> tuple[StreamEvent, ...]:
    """What one event of a run says in the public form."""
    if type(event) is ev.TextDelta:  # nearly every event: it need not be compared with five others
        return project(event)
    return closing(event) if isinstance(event, ev.CLOSING_TYPES) else project(event)


def bare_of(event: ev.KernelEvent) -> tuple[StreamEvent, ...]:
    """What one event of a run says in the bare form."""
    if type(event) is ev.TextDelta:  # nearly every event: it need not be compared with five others
        return project(event)
    return bare_closing(event) if isinstance(event, ev.CLOSING_TYPES) else project(event)


def closing(event: ev.ClosingEvent) -> tuple[StreamEvent, ...]:
    """Usage where any was reported, the pause where there is one, and the completion, last."""
    return (*_usage(event), *project(event), completion(event))


def bare_closing(event: ev.ClosingEvent) -> tuple[StreamEvent, ...]:
    """The same for `done`; usage and the pause for a pause; nothing for the rest."""
    match event:
        case ev.Done():
            return closing(event)
        case ev.AskUser() | ev.Interrupt():
            return (*_usage(event), *project(event))
        case ev.Error() | ev.Cancelled():
            return ()
        case _:
            assert_never(event)


def completion(event: ev.ClosingEvent) -> ResponseComplete:
    """How the run stands, as one event.

    Units: `duration_ms` is rounded to one decimal.
    """
    match event:
        case ev.Done(termination=why):
            return _complete(event, "done", termination=why)
        case ev.AskUser(pending=pending) | ev.Interrupt(pending=pending):
            return _complete(event, "paused", pending=pending)
        case ev.Error():
            return _failed(event)
        case ev.Cancelled(reason=reason, termination=why):
            return _complete(event, "cancelled", termination=why, cancel_reason=reason)
        case _:
            assert_never(event)


def _failed(event: ev.Error) -> ResponseComplete:
    return _complete(
        event,
        "error",
        termination=event.termination,
        error_code=event.code,
        error_class=event.error_class,
        error_reference=event.reference,
        retryable=event.retryable,
    )


def _complete(event: ev.ClosingEvent, outcome: Ending, **more: Any) -> ResponseComplete:  # noqa: ANN401 (fields by name)
    stands = event.outcome
    return ResponseComplete(
        outcome=outcome,
        text=stands.text,
        answer=stands.answer,
        output=stands.output,
        usage=usage_of(stands.usage),
        duration_ms=round(stands.duration_ms, 1),
        run_id=event.run_id,
        stop_reason=stands.stop_reason,
        **more,
    )


def _usage(event: ev.ClosingEvent) -> tuple[StreamEvent, ...]:
    usage = usage_of(event.outcome.usage)
    return () if usage is None else (usage,)
