"""Named points of the way to the disk and back, where a test may end the process.

A point is one test of one attribute while nothing is armed. What is done at a point is told from outside; production
code tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final


class Failpoint(StrEnum):
    """Every point, in the order in which a run meets them."""

    OPEN_AFTER_RECOVERY = "open_after_recovery"
    """A store is open; the runs of its dead owner are ready again."""
    BEFORE_BEGIN = "before_begin"
    """A group commit is about to begin."""
    CREATE_BEFORE_COMMIT = "create_before_commit"
    """A run is written and not committed."""
    CLAIM_AFTER_UPDATE = "claim_after_update"
    """A run has its new owner, not committed."""
    AFTER_INSERT_ROWS = "after_insert_rows"
    """The stretches of an append are written; the run's status is not."""
    SEND_BEFORE_COMMIT = "send_before_commit"
    """A message is written and not committed."""
    BEFORE_COMMIT = "before_commit"
    """All that waited is written and not committed."""
    AFTER_COMMIT_BEFORE_ACK = "after_commit_before_ack"
    """Committed; nobody knows it yet."""
    AFTER_ACK = "after_ack"
    """The callers have been told."""
    ANSWER_BEFORE_SEND = "answer_before_send"
    """A person's answer was found good and is not sent."""
    ANSWER_AFTER_SEND = "answer_after_send"
    """It is in the run's inbox; whoever gave it does not know."""
    ANSWER_HEARD = "answer_heard"
    """The owner of the run has read it; nothing of it is written."""
    CALL_BEFORE_TOOL = "call_before_tool"
    """A call is stored as begun; its tool has done nothing."""
    CALL_AFTER_TOOL = "call_after_tool"
    """The tool has returned; its result is not stored."""
    BEFORE_MODEL_CALL = "before_model_call"
    """The model is about to be asked."""
    COMPACTION_BEFORE_COMMIT = "compaction_before_commit"
    """Rows of a passage are joined and not committed."""
    COMPACTION_BETWEEN_SLICES = "compaction_between_slices"
    """A part of a run's rows is joined and committed; another part is not."""
    DELETE_MID = "delete_mid"
    """The rows of a run are deleted; the run is not, nor is it committed."""
    IMPORT_MID = "import_mid"
    """An imported run is written, its rows are not."""
    UPGRADE_BETWEEN_FILES = "upgrade_between_files"
    """One step of a schema is committed; the next is not begun."""


class _Armed:
    __slots__ = ("action",)

    def __init__(self) -> None:
        self.action: Callable[[Failpoint], None] | None = None


_ARMED: Final = _Armed()


def reach(point: Failpoint) -> None:
    """Say that this point is reached, to whoever armed the points."""
    if _ARMED.action is not None:
        _ARMED.action(point)


def arm(action: Callable[[Failpoint], None] | None) -> None:
    """Have `action` called at every point, in whichever thread reaches it; None: at none."""
    _ARMED.action = action
