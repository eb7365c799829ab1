"""What a runner holds while it is open, for all scopes alike."""

from __future__ import annotations

from collections.abc import Mapping

from treadle.codec.records import RecordCodec
from treadle.ports.ids import Ids
from treadle.ports.store import Store
from treadle.runtime.leaving import Readership
from treadle.runtime.served import ServedAgent
from treadle.runtime.worker import Worker


class RunnerParts:
    """The parts of an open runner.

    Shape: `served` are its agents by name. `is_closed` is set when the runner is left: what is still held of it then
    keeps no rule any more.
    """

    def __init__(
        self,
        *,
        store: Store,
        served: Mapping[str, ServedAgent],
        worker: Worker,
        readers: Readership,
        ids: Ids,
    ) -> None:
        self.store = store
        self.served = served
        self.worker = worker
        self.readers = readers
        self.ids = ids
        self.codec = RecordCodec()
        self.is_closed = False
