"""An agent as a worker knows it: all that is needed to run, or to take over, a run of its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from treadle.ports.model import Model
from treadle.ports.toolbox import Toolbox
from treadle.values.limits import RunRules
from treadle.values.mappings import Json, empty
from treadle.values.pauses import DEFAULT_PAUSES, PauseKind, PauseRules


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedAgent:
    """One agent that a worker can run.

    Shape: `plan` is the fingerprint under which its runs are kept; `filters` are names, or makers of an object with
    `feed` and `flush`.
    """

    name: str
    plan: str
    model: Model
    toolbox: Toolbox
    rules: RunRules
    instructions: str | None
    filters: Sequence[str | Callable[[], Any]]
    pauses: PauseRules = DEFAULT_PAUSES
    output: Mapping[str, Any] = field(default_factory=empty)
    """The schema of what the answer is read into; empty where it is text."""

    def dump_payload(self, payload: Any) -> Json:  # noqa: ANN401 (an adapter's own object)
        """The stored form of a turn's payload, by the model's own rule; a payload in JSON terms needs none."""
        return self.model.dump(payload) if isinstance(self.model, _Keeps) else payload

    def load_payload(self, stored: Json) -> Any:  # noqa: ANN401 (an adapter's own object)
        """A turn's payload from its stored form."""
        return self.model.load(stored) if isinstance(self.model, _Keeps) else stored

    @property
    def asking_tools(self) -> Mapping[str, PauseKind]:
        """The tools whose calls are asked of somebody in place of being run, and of whom."""
        return {spec.name: spec.asks for spec in self.toolbox.specs() if spec.asks is not None}

    @property
    def idempotent(self) -> frozenset[str]:
        """The names of the tools that may be run again without harm."""
        return frozenset(spec.name for spec in self.toolbox.specs() if spec.idempotent)


@runtime_checkable
class _Keeps(Protocol):
    def dump(self, payload: Any, /) -> Json: ...  # noqa: ANN401 (an adapter's own object)

    def load(self, value: Json, /) -> Any: ...  # noqa: ANN401 (an adapter's own object)
