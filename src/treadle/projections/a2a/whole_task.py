"""A task as it stands: what the frames of a run, folded by a client, come to.

In: statuses, texts, the output, in order. Out: the whole task. A status's message goes to the history when another
status comes; texts of the response are one part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from treadle.projections.a2a.wire import OUTPUT, RESPONSE, Artifact, Data, Message, State, Status, Task, Text
from treadle.values.mappings import EMPTY, Json


class WholeTask:
    """The task of one run, from before its first event.

    Shape: `responds` says that the response is there, be it empty. `history_length` is how many of the newest messages
        it tells; None: every one.
    Units: `submitted_s` is UTC seconds.
    """

    __slots__ = ("_history", "_metadata", "_most", "_output", "responds", "status", "texts")

    def __init__(self, submitted_s: float, *, history_length: int | None = None) -> None:
        self._most = history_length
        self.status = Status(state=State.SUBMITTED, at_s=submitted_s)
        self.texts: list[str] = []
        self.responds = False
        self._output: Mapping[str, Json] | None = None
        self._history: list[Message] = []
        self._metadata: dict[str, Json] = {}

    def stands(self, status: Status, metadata: Mapping[str, Json]) -> None:
        """It stands somewhere else now."""
        self._pass()
        self.status = status
        self._metadata.update(metadata)

    def heard(self, message: Message) -> None:
        """Its user said something."""
        self._pass()
        self.status = Status(state=self.status.state, at_s=self.status.at_s)
        self._history.append(message)

    def _pass(self) -> None:
        """The message of the status is history. What it was given to be answered with is spent."""
        if (said := self.status.message) is not None:
            self._history.append(replace(said, metadata=EMPTY) if said.metadata else said)

    def made(self, output: Mapping[str, Json]) -> None:
        """It has a structured output."""
        self._output = output

    def response(self) -> Artifact:
        """Its text, in one part."""
        return Artifact(artifact_id=RESPONSE, parts=(Text("".join(self.texts)),))

    def task(self, *, with_artifacts: bool = True) -> Task:
        """All of it."""
        artifacts = [self.response()] if self.responds else []
        if self._output is not None:
            artifacts.append(Artifact(artifact_id=OUTPUT, parts=(Data(self._output),)))
        return Task(
            status=self.status,
            artifacts=artifacts if with_artifacts else (),
            history=_newest(self._history, self._most),
            metadata=dict(self._metadata),
        )


def _newest(history: Sequence[Message], most: int | None) -> Sequence[Message]:
    if most is None:
        return tuple(history)
    return tuple(history[-most:]) if most else ()
