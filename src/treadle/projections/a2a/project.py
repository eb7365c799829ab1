"""Stretches of a run's log to the frames of an A2A task.

In: stretches as a mount may know them, in log order from the first. Out: frames in one dialect, each in its envelope,
as JSON text; and the whole task at any place. A task is a run, and a stream tells a segment of it.

Shape: the texts of speech are pure ASCII on the wire, by JSON's escapes.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring_ascii
from typing import Final

from treadle.codec.foreign import json_text
from treadle.projections.a2a.telling import TaskTelling
from treadle.projections.a2a.updates import CHUNK, Updates
from treadle.projections.a2a.wire import Message, Role, Text
from treadle.values.events import CLOSING_TYPES, PAUSE_TYPES, KernelEvent
from treadle.values.ids import RunId
from treadle.values.mappings import Json
from treadle.values.model import TEXT
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch, events_of

NOWHERE: Final = 2**62
"""Behind every event: a fold that attaches there says nothing, and holds the task as it stands."""


def submitted(run_id: RunId, telling: TaskTelling, prompt: str) -> TaskRun:
    """A run that was asked for and has not begun: what its first event will say is known."""
    run = TaskRun(run_id, telling)
    run.whole.heard(Message(message_id=f"{run_id}.0", role=Role.USER, parts=(Text(prompt),)))
    return run


class TaskRun:
    """One run as a task.

    Shape: `is_over` once the segment that is told has ended; `whole` is the task as it stands.
    """

    __slots__ = (
        "_after",
        "_around",
        "_at_s",
        "_dialect",
        "_is_open",
        "_run_id",
        "_telling",
        "_updates",
        "is_over",
        "whole",
    )

    def __init__(self, run_id: RunId, telling: TaskTelling) -> None:
        self._run_id = run_id
        self._telling = telling
        self._after = telling.after
        self._is_open = telling.after < 0
        self._around: tuple[str, str] | None = None
        self._at_s = 0.0
        self._updates = Updates(run_id, telling)
        self._dialect = self._updates.dialect
        self.is_over = False
        self.whole = self._updates.whole

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """What the next stretch of the log says, frame by frame."""
        if self.is_over:
            return []
        return self._speech(stretch) if isinstance(stretch, SpeechStretch) else self._entries(stretch)

    @property
    def pending(self) -> tuple[PendingInterrupt, ...]:
        """What it waits for, as its reader may know it."""
        return self._updates.pending

    def task(self, *, with_artifacts: bool = True) -> str:
        """The whole task as it stands, alone: JSON text."""
        return json_text(self._dialect.task(self.whole.task(with_artifacts=with_artifacts)))

    def frame(self) -> str:
        """The whole task as it stands, as a frame in its envelope."""
        return self._wrapped(self._dialect.task_frame(self.whole.task()))

    def _entries(self, stretch: EntryStretch) -> list[str]:
        said: list[str] = []
        events = events_of(stretch, self._run_id)
        self._at_s = stretch.at_s if events else self._at_s
        for event in events:
            said += self._event(event, stretch.at_s)
            if self.is_over:
                return said
        # Hidden events are passed as well: an empty stretch says how far the log is.
        if not events and self._opens_before(stretch.index):
            said += self._opening()
        return said

    def _opens_before(self, index: int) -> bool:
        return not self._is_open and index > self._after

    def _opening(self) -> list[str]:
        """What a reader who attaches here is told first."""
        self._is_open = True
        return [] if self._telling.only_whole else [self.frame()]

    def _event(self, event: KernelEvent, at_s: float) -> list[str]:
        said = self._opening() if self._opens_before(event.index) else []
        frames = self._updates.of(event, at_s)
        if self._is_open:
            said += self._told(frames)
        elif event.index == self._after:
            if isinstance(event, PAUSE_TYPES) and not self._telling.rests:
                self._after = event.index + 1
                return said
            said += self._opening()
        if self._is_open and isinstance(event, CLOSING_TYPES):
            self.is_over = True
            said += [self.frame()] if self._telling.only_whole else []
        return said

    def _told(self, frames: Iterable[Mapping[str, Json]]) -> list[str]:
        is_told = self._is_open and not self._telling.only_whole
        return [self._wrapped(frame) for frame in frames] if is_told else []

    def _wrapped(self, frame: Mapping[str, Json]) -> str:
        return f"{self._telling.before}{json_text(frame)}{self._telling.behind}"

    # Speech takes the short road: a template a run, and one encode a piece.

    def _speech(self, stretch: SpeechStretch) -> list[str]:
        texts = stretch.texts
        if self._is_open:
            return self._spoken(stretch, texts)
        # How many of the pieces this reader is not told; where that is all and one more, it attaches further on.
        silent = max(0, self._after + 1 - stretch.index)
        if silent:
            self._spoken(stretch, texts[:silent])
        if silent > len(texts):
            return []
        said = self._opening()
        return said + self._spoken(stretch, texts[silent:]) if silent < len(texts) else said

    def _spoken(self, stretch: SpeechStretch, texts: Sequence[str]) -> list[str]:
        if stretch.kind != TEXT:
            # A log that joins pieces keeps no time of each: all have that of the newest event before them.
            return self._told(self._updates.spoken(stretch.kind, stretch.key, texts, at_s=self._at_s))
        whole = self.whole
        whole.texts += texts
        is_first, whole.responds = not whole.responds, True
        if not self._is_open or self._telling.only_whole:
            return []
        if self._around is None:
            self._around = self._around_text(append=True)
        before, behind = self._around
        said = [f"{before}{encode_basestring_ascii(text)}{behind}" for text in texts]
        if is_first:
            before, behind = self._around_text(append=False)
            said[0] = f"{before}{encode_basestring_ascii(texts[0])}{behind}"
        return said

    def _around_text(self, *, append: bool) -> tuple[str, str]:
        """What stands before and behind the text of a piece."""
        frame = self._wrapped(self._dialect.artifact_frame(CHUNK, append=append, is_last=False))
        before, _, behind = frame.rpartition('"text":""')
        return f'{before}"text":', behind
