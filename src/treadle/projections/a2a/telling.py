"""How a task is told to one reader: all that two readers of one run can differ in.

In: nothing. Out: a value.
"""

from __future__ import annotations

from dataclasses import dataclass

from treadle.projections.a2a.pauses import TokenOf, no_token
from treadle.projections.a2a.wire import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTelling:
    """How a task is told to a reader. Equal for readers who are told the same.

    Shape: `after` is the last index that is not told: a reader who attaches behind it is first given the whole task as
        it stands there; -1 tells everything. `rests`: the run rests there, so that an end there is this reader's end
        too; without it an end there is passed over, and the reader attaches behind what follows. `greeted`: the reader
        has been given the submitted task already.
        `details` tells, as metadata of the extension, what the states of a task cannot say. `history_length` is how
        many messages a task holds at most. `before` and `behind` are what stands around a frame: an envelope.
        `only_whole` says nothing but the whole task, when it has come to rest. `settled` names pauses that were
        answered, though the log may not say so yet.
    Units: `submitted_s` is UTC seconds: when the run was asked for.
    """

    shape: Shape
    context_id: str
    submitted_s: float
    after: int = -1
    rests: bool = True
    greeted: bool = False
    details: bool = False
    history_length: int | None = None
    before: str = ""
    behind: str = ""
    token_of: TokenOf = no_token
    only_whole: bool = False
    settled: frozenset[str] = frozenset()
