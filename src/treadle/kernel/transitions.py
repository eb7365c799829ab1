"""Where a run can stand, and which inputs are legal there, as one table.

A pair that is not in the table is a `StateError`. Inputs that are late but honest (a tool that returns after the
cancel, a pause that expires when it was answered, an answer to a pause that is settled, a second cancel) are in it and
lead back to where the run stands.
"""

from __future__ import annotations

from enum import StrEnum

from treadle.kernel.inputs import (
    Answered,
    CancelRequested,
    DeadlinePassed,
    Input,
    ModelAnnounced,
    ModelBroke,
    ModelTurned,
    PartBroke,
    PauseExpired,
    Recalled,
    Started,
    TookOver,
    ToolPaused,
    ToolProgressed,
    ToolReturned,
)


class Phase(StrEnum):
    """Where a run stands."""

    NEW = "new"
    RECALLING = "recalling"
    ASKING = "asking"
    CALLING = "calling"
    STOPPING = "stopping"
    """It is ending; its open calls are being stopped."""
    WAITING = "waiting"
    FINAL = "final"


_NEW, _RECALLING, _ASKING, _CALLING, _STOPPING, _WAITING, _FINAL = Phase

TRANSITIONS: dict[tuple[Phase, type[Input]], frozenset[Phase]] = {
    (_NEW, Started): frozenset({_RECALLING, _ASKING}),
    (_RECALLING, Recalled): frozenset({_ASKING}),
    (_RECALLING, DeadlinePassed): frozenset({_FINAL}),
    (_RECALLING, CancelRequested): frozenset({_FINAL}),
    (_RECALLING, PartBroke): frozenset({_FINAL}),
    (_ASKING, ModelAnnounced): frozenset({_ASKING}),
    (_ASKING, ModelTurned): frozenset({_ASKING, _CALLING, _WAITING, _FINAL}),
    (_ASKING, ModelBroke): frozenset({_ASKING, _FINAL}),
    (_ASKING, DeadlinePassed): frozenset({_FINAL}),
    (_ASKING, CancelRequested): frozenset({_FINAL}),
    (_ASKING, PartBroke): frozenset({_FINAL}),
    (_ASKING, ToolProgressed): frozenset({_ASKING}),
    (_ASKING, ToolReturned): frozenset({_ASKING}),
    (_ASKING, PauseExpired): frozenset({_ASKING}),
    (_ASKING, Answered): frozenset({_ASKING}),
    (_CALLING, ToolProgressed): frozenset({_CALLING}),
    (_CALLING, ToolPaused): frozenset({_CALLING, _WAITING, _FINAL}),
    (_CALLING, ToolReturned): frozenset({_CALLING, _ASKING, _WAITING, _FINAL}),
    (_CALLING, PauseExpired): frozenset({_CALLING}),
    (_CALLING, Answered): frozenset({_CALLING}),
    (_CALLING, DeadlinePassed): frozenset({_STOPPING}),
    (_CALLING, CancelRequested): frozenset({_STOPPING}),
    (_CALLING, PartBroke): frozenset({_STOPPING}),
    (_STOPPING, ToolProgressed): frozenset({_STOPPING}),
    (_STOPPING, ToolPaused): frozenset({_STOPPING, _FINAL}),
    (_STOPPING, ToolReturned): frozenset({_STOPPING, _FINAL}),
    (_STOPPING, PauseExpired): frozenset({_STOPPING}),
    (_STOPPING, Answered): frozenset({_STOPPING}),
    (_STOPPING, DeadlinePassed): frozenset({_STOPPING}),
    (_STOPPING, CancelRequested): frozenset({_STOPPING}),
    (_STOPPING, PartBroke): frozenset({_STOPPING}),
    (_WAITING, Answered): frozenset({_WAITING, _CALLING, _ASKING, _FINAL}),
    (_WAITING, PauseExpired): frozenset({_WAITING, _CALLING, _ASKING, _FINAL}),
    (_WAITING, DeadlinePassed): frozenset({_WAITING}),
    (_WAITING, CancelRequested): frozenset({_FINAL}),
    (_WAITING, PartBroke): frozenset({_FINAL}),
    (_WAITING, ToolProgressed): frozenset({_WAITING}),
    (_WAITING, ToolReturned): frozenset({_WAITING}),
    (_FINAL, Recalled): frozenset({_FINAL}),
    (_FINAL, ToolProgressed): frozenset({_FINAL}),
    (_FINAL, ToolPaused): frozenset({_FINAL}),
    (_FINAL, ToolReturned): frozenset({_FINAL}),
    (_FINAL, DeadlinePassed): frozenset({_FINAL}),
    (_FINAL, CancelRequested): frozenset({_FINAL}),
    (_FINAL, PauseExpired): frozenset({_FINAL}),
    (_FINAL, Answered): frozenset({_FINAL}),
    (_FINAL, PartBroke): frozenset({_FINAL}),
    (_RECALLING, TookOver): frozenset({_RECALLING, _FINAL}),
    (_ASKING, TookOver): frozenset({_ASKING, _FINAL}),
    (_CALLING, TookOver): frozenset({_CALLING, _ASKING, _WAITING, _FINAL}),
    (_STOPPING, TookOver): frozenset({_FINAL}),
    (_WAITING, TookOver): frozenset({_WAITING}),
    (_FINAL, TookOver): frozenset({_FINAL}),
}

LEGAL: dict[type[Input], tuple[Phase, ...]] = {
    kind: tuple(at for at, legal in TRANSITIONS if legal is kind) for _, kind in TRANSITIONS
}
"""Where each input is legal: the keys of the table, by input. A phase is found without its hash, which is slow."""
