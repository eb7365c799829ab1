"""A passage of speech as an output item: a message of text, or a reasoning item.

In: a passage, its texts. Out: its events, from the first to the last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from treadle.codec.foreign import json_text
from treadle.projections.openai_responses.frames import Frames, Template
from treadle.projections.openai_responses.wire import (
    Item,
    message_item,
    reasoning_item,
    summary_part,
    text_part,
)
from treadle.values.ids import RunId
from treadle.values.model import TEXT, THINKING


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a kind of speech is called: its items, their one part, and the events of it."""

    prefix: str
    item: Callable[[str, str, str], Item]
    part: Callable[[str], Item]
    place: str
    added: str
    delta: str
    done: str
    part_done: str
    extra: Mapping[str, list[str]]


WORDS: Final[Mapping[str, Words]] = {
    TEXT: Words(
        prefix="msg",
        item=message_item,
        part=text_part,
        place="content_index",
        added="response.content_part.added",
        delta="response.output_text.delta",
        done="response.output_text.done",
        part_done="response.content_part.done",
        extra={"logprobs": []},
    ),
    THINKING: Words(
        prefix="rs",
        item=reasoning_item,
        part=summary_part,
        place="summary_index",
        added="response.reasoning_summary_part.added",
        delta="response.reasoning_summary_text.delta",
        done="response.reasoning_summary_text.done",
        part_done="response.reasoning_summary_part.done",
        extra={},
    ),
}


class OpenSpeech:
    """A passage that is under way, as the output item at a place."""

    def __init__(self, run_id: RunId, kind: str, passage: int, *, at: int) -> None:
        self.passage = passage
        self.at = at
        self.texts: list[str] = []
        self._words = words = WORDS[kind]
        self._named = f"{words.prefix}_{run_id}.p{passage}"
        self._place: dict[str, int | str] = {"item_id": self._named, "output_index": at, words.place: 0}
        fields = json_text({**self._place, "delta": "", **words.extra})
        before, behind = fields[1:].split('"delta":""')
        self._template = Template(kind=words.delta, between=f',{before}"delta":', behind=behind)

    def item(self, status: str) -> Item:
        """The item as it stands."""
        return self._words.item(self._named, "".join(self.texts), status)

    def begun(self, frames: Frames) -> list[str]:
        """Its first events."""
        words = self._words
        added = frames.event("response.output_item.added", output_index=self.at, item=self.item("in_progress"))
        return [*added, *frames.event(words.added, **self._place, part=words.part(""))]

    def said(self, frames: Frames, texts: tuple[str, ...]) -> list[str]:
        """More of it."""
        self.texts += texts
        return frames.pieces(self._template, texts)

    def closed(self, frames: Frames, status: str) -> list[str]:
        """Its last events."""
        words, text = self._words, "".join(self.texts)
        return [
            *frames.event(words.done, **self._place, text=text, **words.extra),
            *frames.event(words.part_done, **self._place, part=words.part(text)),
            *frames.event("response.output_item.done", output_index=self.at, item=self.item(status)),
        ]
