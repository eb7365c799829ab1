"""What a runner holds while it is open, for all scopes alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from treadle.codec.pause_tokens import TokenKeys
from treadle.ports.clock import Clock
from treadle.ports.ids import Ids
from treadle.ports.store import Store
from treadle.runtime.answer_check import CheckArguments
from treadle.runtime.leaving import Readership
from treadle.runtime.served import ServedAgent
from treadle.runtime.worker import Worker
from treadle.values.calls import ToolRequest


class _HasKeys(Protocol):
    @property
    def keys(self) -> TokenKeys: ...


class RunnerParts:
    """The parts of an open runner.

    Shape: `served` are its agents by name. `is_closed` is set when the runner is left: what is still held of it then
    keeps no rule any more.
    """

    def __init__(  # noqa: PLR0913 (one for each part)
        self,
        *,
        store: Store,
        served: Mapping[str, ServedAgent],
        worker: Worker,
        readers: Readership,
        ids: Ids,
        clock: Clock,
        keys: _HasKeys,
    ) -> None:
        self.store = store
        self.served = served
        self.worker = worker
        self.readers = readers
        self.ids = ids
        self.clock = clock
        self._keys = keys
        self.codec = worker.codec
        self.is_closed = False

    @property
    def keys(self) -> TokenKeys:
        """The keys of pause tokens.

        Raises:
            PlanError: There are none that could be used.
        """
        return self._keys.keys

    def checks(self, plan: str) -> CheckArguments:
        """What holds arguments against the tools of the agent with this plan; nothing does where it is not served here.

        The owner of the run has the agent, and a call with arguments that do not fit does not run there either.
        """
        served = next((one for one in self.served.values() if one.plan == plan), None)

        def damage(name: str, arguments: Mapping[str, Any]) -> str | None:
            request = ToolRequest(name=name, arguments=arguments)
            return None if served is None else served.toolbox.checked(request).damage

        return damage
